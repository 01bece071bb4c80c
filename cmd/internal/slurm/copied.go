package slurm

// Copy is how a copy of a site without names keeps a field of what Slurm prints.
type Copy int

// The ways to keep a field.
const (
	CopyNot           Copy = iota // no reader takes it
	CopyValue                     // numbers, times and words of Slurm's own
	CopyTime                      // a time, which a copy may move
	CopyAmount                    // a number that may be as large as a time since 1970 and is none: a priority, usage or memory
	CopyID                        // the number of a job
	CopyDependency                // for which jobs a job waits
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
