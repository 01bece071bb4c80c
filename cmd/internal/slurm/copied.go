package slurm

// Copy is how a copy of a site without names keeps a field of what Slurm prints.
type Copy int

// The ways to keep a field.
const (
	CopyNot           Copy = iota // no reader takes it
	CopyValue                     // numbers, times and words of Slurm's own
	CopyID                        // the number of a job
	CopyWord                      // a state or a flag of Slurm's
	CopyWords                     // a list of them
	CopyReason                    // why a job waits, which may name nodes
	CopySince                     // the reason of a node, of which the time is kept
	CopyPlugin                    // the name of a plugin of Slurm's
	CopyParameters                // words of SchedulerParameters
	CopyCluster                   // the names of the site
	CopyUser                      //
	CopyUserNumber                // with a number behind it: bob(6002)
	CopyGroupNumber               //
	CopyQOSNumber                 //
	CopyAccountNumber             //
	CopyGroup                     //
	CopyAccount                   //
	CopyQOS                       // one or a list
	CopyPartition                 // one or a list
	CopyReservation               //
	CopyJobName                   //
	CopyHost                      //
	CopyHosts                     // a list such as c[01-04]
	CopyAccounts                  // that may use something, or with a minus may not
	CopyUsers                     // as CopyAccounts
	CopyQualities                 // QOS, as CopyAccounts
	CopyGroups                    // that may use something, of which only that there are some is kept
	CopyTRES                      // amounts of resources
	CopyGRES                      // generic resources
	CopyGPUs                      // how many GPUs, and of which model
	CopyLicences                  // a list of licences
	CopyLicence                   // the name of one
	CopyFeatures                  // features of nodes, or an expression of them
	CopySubmitLine                // the line that submitted a job
	CopySome                      // of which only that it is there is kept
)

// jobCopies are how a copy keeps the fields of scontrol show job that are read. Of those of jobFields that are only said
// not to be modelled, it keeps that they are there. No reader gets another one that is known.
var jobCopies = map[string]Copy{
	"JobId": CopyID, "ArrayJobId": CopyValue, "ArrayTaskId": CopyValue, "JobName": CopyJobName, "UserId": CopyUserNumber, "GroupId": CopyGroupNumber, "MCS_label": CopySome, "Priority": CopyValue, "Nice": CopyValue,
	"SiteFactor": CopyValue, "Account": CopyAccount, "QOS": CopyQOS, "JobState": CopyWord, "Reason": CopyReason, "Reservation": CopyReservation, "OverSubscribe": CopyValue, "Partition": CopyPartition,
	"SubmitTime": CopyValue, "EligibleTime": CopyValue, "AccrueTime": CopyValue, "StartTime": CopyValue, "EndTime": CopyValue, "LastSchedEval": CopyValue, "TimeLimit": CopyValue, "TRES": CopyTRES, "ReqTRES": CopyTRES,
	"NodeList": CopyHosts, "ReqNodeList": CopyHosts, "ExcNodeList": CopyHosts, "NumNodes": CopyValue, "NumCPUs": CopyValue, "NumTasks": CopyValue, "CPUs/Task": CopyValue, "NtasksPerN:B:S:C": CopyValue,
	"ReqB:S:C:T": CopyValue, "MinCPUsNode": CopyValue, "MinMemoryNode": CopyValue, "MinMemoryCPU": CopyValue, "Features": CopyFeatures, "ArrayTaskThrottle": CopyValue, "Licenses": CopyLicences, "TresPerNode": CopyGRES,
	"TresPerJob": CopyGRES, "TresPerTask": CopyTRES, "Switches": CopyValue,
}

// JobCopy returns how a copy keeps a field of scontrol show job.
func JobCopy(name string) Copy {
	if jobFields[name].lacks != "" && jobCopies[name] == CopyNot {
		return CopySome
	}
	return jobCopies[name]
}
