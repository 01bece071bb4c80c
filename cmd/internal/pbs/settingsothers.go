package pbs

import (
	"slices"
	"strings"

	"fairshare/formula"
)

// administrative is why no answer depends on attributes that the scheduler does not ask the server for.
const administrative = "they are about the administration, and the scheduler does not ask for them"

// otherSettings are the attributes besides, which PBS prints and people set, so that they are told from those that nobody knows.
var otherSettings = func() (all []Setting) {
	for _, others := range []struct {
		of    Owner
		names string
	}{
		{OfServer, `acl_host_moms_enable acl_krb_realm_enable acl_krb_realms acl_krb_submit_realms acl_resv_group_enable acl_resv_groups acl_resv_host_enable acl_resv_hosts acl_resv_user_enable acl_resv_users acl_roots
			clear_topjob_estimates_enable comment cred_renew_cache_period cred_renew_enable cred_renew_period cred_renew_tool default_node default_qdel_arguments
			elim_on_subjobs est_start_time_freq FLicenses job_history_duration job_history_enable job_requeue_timeout jobscript_max_size license_count log_events
			mail_from mail_uid mailer managers max_concurrent_provision max_job_sequence_id node_pack operators pbs_license_file_location pbs_license_info
			pbs_license_linger_time pbs_license_max pbs_license_min python_gc_min_interval python_restart_max_hooks python_restart_max_objects
			python_restart_min_interval python_sync_mom_hookfiles_timeout reserve_retry_cutoff reserve_retry_init reserve_retry_time resend_term_delay
			resv_post_processing_time rpp_highwater rpp_max_pkt_check rpp_retry server_host show_hidden_attribs single_signon_password_enable
			sync_mom_hookfiles_timeout system_cost webapi_auth_issuers webapi_enable webapi_oidc_clientid webapi_oidc_provider_url`},
		{OfQueue, "alt_router checkpoint_min comment kill_delay require_cred require_cred_enable route_held_jobs route_lifetime route_retry_time route_waiting_jobs"},
		{OfScheduler, "comment log_events sched_host sched_log sched_port sched_user"},
		{OfVnode, `comment hpcbp_enable hpcbp_stage_protocol hpcbp_user_name hpcbp_webservice_address license_info lictype maintenance_jobs pnames poweroff_eligible
			Port topology_info version vnode_pool`},
		{OfReservation, `Account_Name at_server Authorized_Groups Authorized_Hosts Authorized_Users comment delete_idle_time egroup euser group_list hashname hop_count
			interactive Mail_Points Mail_Users project reserve_alter_revert reserve_execvnodes reserve_ID reserve_job reserve_Tag reserve_type resv_execvnodes
			schedselect security User_List Variable_List`},
	} {
		for _, name := range strings.Fields(others.names) {
			all = append(all, Setting{Name: name, Of: others.of, Without: administrative, check: administrativeCheck(name)})
		}
	}
	return append(all, Setting{Name: "resources_cost", Of: OfServer | OfQueue, PerResource: true, Without: administrative})
}()

// administrativeTypes are what the values are of attributes that may not be any words.
var administrativeTypes = []struct {
	is    formula.Type
	names []string
}{
	{formula.Boolean, strings.Fields(`acl_host_moms_enable acl_resv_group_enable acl_resv_host_enable acl_resv_user_enable job_history_enable show_hidden_attribs
		route_held_jobs route_waiting_jobs`)},
	{formula.Duration, strings.Fields("job_history_duration job_requeue_timeout")},
	{formula.Long, strings.Fields("log_events max_concurrent_provision max_job_sequence_id kill_delay route_lifetime route_retry_time")},
}

// administrativeCheck returns what checks the values of an attribute besides, nil for one that may be any words.
func administrativeCheck(name string) func(value string) error {
	for _, t := range administrativeTypes {
		if slices.Contains(t.names, name) {
			return func(value string) error { return checkOfType(value, t.is) }
		}
	}
	return nil
}
