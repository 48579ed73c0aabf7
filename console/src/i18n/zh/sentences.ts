import type { Sentences } from '@/lib/said';
import { states } from './states';

/** What the server says in `why` and in errors, in Chinese. */
export const sentences: Sentences = {
  joint: '；',
  words: { ...states.words, upstream_failed: '上游失败' },
  after: [
    [/^it ends by itself if it has not started by (?<at>\S+)$/, '若到 {at} 仍未开始，将自行结束'],
    [/^it is a rerun of run (?<run>\S+)$/, '它重新运行了运行 {run}'],
    [/^it was rerun as run (?<run>\S+)$/, '它已作为运行 {run} 重新运行'],
    [/^(?<n>\d+) runs? (?:is|are) held, to start before it$/, '另有 {n} 个被挂起的运行排在它之前'],
    [/^the end of (?<n>\d+) runs? was asked for$/, '其中 {n} 个已被要求结束'],
  ],
  byCode: {
    running: [
      [/^attempt (?<n>\d+) runs since (?<at>\S+)$/, '第 {n} 次尝试自 {at} 起运行中'],
      [/^attempt (?<n>\d+) runs$/, '第 {n} 次尝试运行中'],
      [/^(?<n>\d+) runs? (?:is|are) at work$/, '{n} 个运行正在执行'],
      [/^it has (?<n>\d+) tasks?: (?<counts>.+)$/, '共 {n} 个任务：{counts}'],
      [/^it runs for (?<n>\d+) items?: (?<counts>.+)$/, '共 {n} 项：{counts}'],
    ],
    cancel_requested: [
      [/^its end was asked for at (?<at>\S+), because: (?<why>.+); it is final when its processes are gone$/, '已于 {at} 要求结束，原因：{why}；其进程退出后即告结束'],
      [/^its end was asked for at (?<at>\S+); it is final when its processes are gone$/, '已于 {at} 要求结束；其进程退出后即告结束'],
    ],
    final: [
      [/^it is over, (?<state>\w+) at (?<at>[\dTZ:.-]+): (?<why>.+)$/, '已结束（{state}，{at}）：{why}'],
      [/^it is over, (?<state>\w+) at (?<at>[\dTZ:.-]+)$/, '已结束（{state}，{at}）'],
      [/^it is over, (?<state>\w+): (?<why>.+)$/, '已结束（{state}）：{why}'],
      [/^it is over, (?<state>\w+)$/, '已结束（{state}）'],
      [/^did not start because another task has failed \(fail_fast\)$/, '另一个任务失败，因此没有开始（fail_fast）'],
      [/^the workflow run was cancelled$/, '工作流运行已被取消'],
      [/^ended by itself, or on request$/, '自行结束，或应要求结束'],
    ],
    not_before: [
      [/^it does not start before (?<at>\S+)$/, '在 {at} 之前不会开始'],
      [/^attempt (?<n>\d+) failed; the next one does not start before (?<at>\S+)$/, '第 {n} 次尝试失败；下一次在 {at} 之前不会开始'],
      [/^it waits for (?<at>\d\S+)$/, '等到 {at}'],
      [/^waits for its time$/, '等待其时间'],
    ],
    job_limit: [
      [/^overlap (?<overlap>\w+) allows (?<max>\d+) runs? unfinished at a time, and (?<n>\d+) runs? (?:is|are) unfinished$/, '重叠策略 {overlap} 同时只允许 {max} 个未结束的运行，现有 {n} 个'],
      [/^(?<n>\d+) runs? (?:is|are) unfinished$/, '有 {n} 个运行未结束'],
      [/^the job has (?<n>\d+) runs? unfinished, and allows (?<max>\d+); its next fire follows overlap (?<overlap>\w+)$/, '作业有 {n} 个未结束的运行，允许 {max} 个；下次触发按重叠策略 {overlap} 处理'],
    ],
    no_slot: [
      [/^all (?<n>\d+) slots of the node that answers are taken$/, '应答节点的 {n} 个槽位已全部占用'],
      [/^all slots of the node that answers and of (?<n>\d+) workers are taken$/, '应答节点和 {n} 个工作节点的槽位已全部占用'],
      [/^all slots of the worker of the queue (?<queue>\S+) are taken$/, '队列 {queue} 的工作节点的槽位已全部占用'],
      [/^all slots of the (?<n>\d+) workers of the queue (?<queue>\S+) are taken$/, '队列 {queue} 的 {n} 个工作节点的槽位已全部占用'],
      [/^all slots of the (?<n>\d+) workers that fit are taken$/, '{n} 个符合条件的工作节点的槽位已全部占用'],
      [/^each of the (?<n>\d+) workers that fit has a run of the job, or no free slot$/, '{n} 个符合条件的工作节点都已有此作业的运行，或没有空闲槽位'],
      [/^routing (?<way>\w+) has picked the worker (?<worker>.+), all of whose slots are taken$/, '路由策略 {way} 选定了工作节点 {worker}，其槽位已全部占用'],
    ],
    no_worker: [
      [/^nobody takes runs from the queue (?<queue>\S+): neither the node that answers nor a worker$/, '没有谁从队列 {queue} 领取运行：应答节点和工作节点都不领取'],
      [/^its job is routed to workers, and no worker of the queue (?<queue>\S+) is there$/, '作业指派给工作节点，而队列 {queue} 没有工作节点'],
      [/^its job is routed to workers, and no worker of the queue (?<queue>\S+) with the labels that the job names is there$/, '作业指派给工作节点，而队列 {queue} 没有带有作业所要求标签的工作节点'],
    ],
    queue_paused: [
      [/^the queue (?<queue>[^\s,:]+) is paused$/, '队列 {queue} 已暂停'],
      [/^the queue (?<queue>[^\s,:]+) is paused, since (?<at>[^\s,]+), by (?<by>.+?): (?<why>.+)$/, '队列 {queue} 自 {at} 起被 {by} 暂停：{why}'],
      [/^the queue (?<queue>[^\s,:]+) is paused, since (?<at>[^\s,]+), by (?<by>[^:]+)$/, '队列 {queue} 自 {at} 起被 {by} 暂停'],
    ],
    queue_limit: [
      [/^(?<max>\d+) runs of the queue (?<queue>\S+) are executed, and no more may be at a time$/, '队列 {queue} 正在执行 {max} 个运行，已达同时上限'],
      [/^(?<n>\d+) runs may leave the queue (?<queue>\S+) in (?<ms>\d+) ms$/, '队列 {queue} 每 {ms} 毫秒只放行 {n} 个运行'],
    ],
    slow_share: [
      [/^the slots that are free are kept for jobs that are known to be short, and it is not known yet how long runs of its job take$/, '空闲槽位留给已知较短的作业，而此作业的运行时长尚不清楚'],
      [/^the slots that are free are kept for jobs that are known to be short, and its job is known to be (?<lane>\w+)$/, '空闲槽位留给已知较短的作业，而此作业已知为 {lane}'],
    ],
    label_limit: [[/^(?<max>\d+) runs? of jobs with the label (?<label>\S+) are executed, and no more may be at a time$/, '带标签 {label} 的作业正在执行 {max} 个运行，已达同时上限']],
    queue_order: [[/^(?<n>\d+) runs? (?:is|are) queued in (?<queue>\S+), to start before it: of higher priority, or due before$/, '队列 {queue} 中有 {n} 个运行排在它之前：优先级更高，或更早到期']],
    draining: [[/^the server that answers is shutting down, and starts no runs$/, '应答的服务器正在关闭，不再启动运行']],
    about_to_start: [
      [/^nothing is in its way; it has waited for (?<ms>\d+) ms$/, '没有任何阻碍；已等待 {ms} 毫秒'],
      [/^it begins once the node that owns its job looks at it$/, '拥有此作业的节点处理到它时即开始'],
      [/^may run; its run is about to be made$/, '可以运行；其运行即将创建'],
    ],
    job_paused: [
      [/^the job is paused, and none of its triggers fires$/, '作业已暂停，所有触发器都不触发'],
      [/^the job is paused, and none of its triggers fires, since (?<at>[^\s,]+), by (?<by>.+?): (?<why>.+)$/, '作业自 {at} 起被 {by} 暂停，所有触发器都不触发：{why}'],
      [/^the job is paused, and none of its triggers fires, since (?<at>[^\s,]+), by (?<by>[^:]+)$/, '作业自 {at} 起被 {by} 暂停，所有触发器都不触发'],
    ],
    no_trigger: [[/^it has no triggers, and runs when it is asked to$/, '没有触发器，只在被要求时运行']],
    trigger_paused: [
      [/^the trigger is paused$/, '触发器已暂停'],
      [/^the trigger is paused, since (?<at>[^\s,]+), by (?<by>.+?): (?<why>.+)$/, '触发器自 {at} 起被 {by} 暂停：{why}'],
      [/^the trigger is paused, since (?<at>[^\s,]+), by (?<by>[^:]+)$/, '触发器自 {at} 起被 {by} 暂停'],
    ],
    trigger_complete: [[/^its schedule has no further instant$/, '其调度不再有触发时间']],
    trigger_error: [[/^it was put aside: (?<why>.+)$/, '已被搁置：{why}']],
    awaits_run: [
      [/^it fires again some time after the end of the run that it has started$/, '它启动的运行结束一段时间后再次触发'],
      [/^it ends with its shards, of which one is unfinished$/, '随其分片结束，还有一个未结束'],
      [/^it ends with its shards, of which (?<n>\d+) are unfinished$/, '随其分片结束，还有 {n} 个未结束'],
      [/^what it waits for is unfinished$/, '它等待的运行尚未结束'],
    ],
    awaits_tasks: [
      [/^waits for (?<names>.+) \(rule (?<rule>\w+)\)$/, '等待 {names}（规则 {rule}）'],
      [/^runs last: waits for (?<n>\d+) other tasks?$/, '最后运行：等待另外 {n} 个任务'],
    ],
    task_rule: [
      [/^did not start because of (?<names>.+) \(rule (?<rule>\w+)\)$/, '因 {names} 没有开始（规则 {rule}）'],
      [/^its upstreams do not fit its rule (?<rule>\w+)$/, '其上游不符合规则 {rule}'],
    ],
    task_limit: [[/^max_parallel lets (?<n>\d+) of its runs be under way at once$/, 'max_parallel 只允许同时进行 {n} 个运行']],
    awaits_approval: [
      [/^(?:it )?waits for an approval$/, '等待批准'],
      [/^waits for an approval: (?<prompt>.+)$/, '等待批准：{prompt}'],
    ],
    run_paused: [[/^may run; the workflow run is paused$/, '可以运行；但工作流运行已暂停']],
    not_due: [[/^its next instant is (?<at>\S+)$/, '下次触发时间为 {at}']],
    cause: [
      [/^it was started by the end of run (?<run>\S+) of (?<job>\S+), which (?<state>\w+)$/, '由作业 {job} 的运行 {run} 结束（{state}）而启动'],
      [/^it was started by the end of run (?<run>\S+), which is not kept any more$/, '由运行 {run} 结束而启动，该运行已不再保留'],
    ],
    'job.not_found': [[/^no job "(?<job>.+)" in namespace "(?<ns>.+)"$/, '命名空间“{ns}”中没有作业“{job}”']],
    'namespace.not_found': [[/^there is no namespace "(?<ns>.+)"$/, '没有命名空间“{ns}”']],
    'task.final': [[/^task "(?<task>.+)" is (?<state>\w+) already$/, '任务“{task}”已{state}']],
    'run.final': [[/^run (?<run>\S+) is (?<state>\w+) already$/, '运行 {run} 已{state}']],
    'run.not_begun': [[/^run (?<run>\S+) is (?<state>\w+): its tasks are there once it has begun$/, '运行 {run} 的状态为{state}：开始之后才有任务']],
    'run.not_found': [[/^"(?<run>.+)" is not the id of a run$/, '“{run}”不是运行的编号']],
    'server.draining': [[/^the server is shutting down, and starts no runs$/, '服务器正在关闭，不再启动运行']],
    'resource.stale': [[/^the flow has another version by now$/, '数据流已有新版本']],
    'resource.conflict': [[/^it was changed by somebody else just now$/, '刚刚被他人修改']],
  },
};
