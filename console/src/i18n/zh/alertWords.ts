/** What a message of an alert is about, by the wording of the server. */
export const alertWords: Readonly<Record<string, string>> = {
  'run failed': '运行失败',
  '{n} runs failed': '{n} 次运行失败',
  '{n} runs failed in a row': '连续 {n} 次运行失败',
  'not started {time} after it was due': '到期 {time} 后仍未启动',
  'runs longer than {time}': '运行时间超过 {time}',
  'a fire time was missed': '错过一次触发',
  '{n} fire times were missed': '错过 {n} 次触发',
  'not done by its deadline': '未在截止时间前完成',
};

/** Messages that are about no job, or about many. */
export const otherAlerts: Readonly<Record<string, string>> = {
  'test of the channel {channel}': '渠道 {channel} 的测试',
  '{n} alerts at once': '同时出现 {n} 条告警',
  '{n} alerts last': '{n} 条告警仍未恢复',
  '{n} alerts are over': '{n} 条告警已恢复',
};
