import type { states as en } from '../en/states';

export const states: typeof en = {
  words: {
    scheduled: '已计划',
    queued: '排队中',
    waiting: '等待中',
    running: '运行中',
    retrying: '等待重试',
    succeeded: '成功',
    failed: '失败',
    timed_out: '超时',
    cancelled: '已取消',
    skipped: '已跳过',
    misfired: '错过触发',
    lost: '失联',
  },
  enabled: '已启用',
  paused: '已暂停',
  failing: '持续失败',
  never: '从未运行',
};
