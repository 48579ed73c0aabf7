/** Why a component of a flow does not run, by the wording of the server. */
export const flows: Readonly<Record<string, string>> = {
  'it is stopping: {n} bodies still run': '正在停止：{n} 个任务体仍在运行',
  'it is stopped: start it': '已停止：请启动',
  'it is disabled: enable it, then start it': '已禁用：请先启用，再启动',
  'it runs: {n} bodies': '运行中：{n} 个任务体',
  'a body that was terminated has not ended': '被终止的任务体尚未结束',
  'it rests, as its body asked or because that failed': '应任务体要求或因其失败而暂歇',
  'it runs on the leader, which is another node': '在主节点上运行，即另一个节点',
  'it has no work: its queues are empty': '没有工作：队列为空',
  'all items in its queues are penalised': '队列中的数据项都在受罚等待',
  'a queue behind it is full': '其后的队列已满',
  AtConcurrency: '同时运行的任务体已达上限',
  'it waits for requests that put items': '等待放入数据项的请求',
  'it waits for a permit of its pool': '等待其池的许可',
  'its schedule lets it start in {ms} ms': '按计划在 {ms} 毫秒后启动',
  'it waits for its next time, {at}': '等待下次时间 {at}',
  'no time of its calendar is left': '其日程已没有剩余时间',
};
