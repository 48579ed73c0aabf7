import type { login as en } from '../en/login';

export const login: typeof en = {
  title: '登录',
  withLink: '打开服务器启动时打印的链接，或生成一个新链接：',
  withToken: '或粘贴访问令牌',
  token: '访问令牌',
  tokenHint: '服务器将其保存在数据目录的文件中。令牌只发送一次，不会保存在浏览器里。',
  submit: '登录',
  working: '正在登录…',
  codeRefused: '此链接已被使用或已超过十分钟。请生成新链接，或粘贴令牌。',
  tokenRefused: '服务器不认识此令牌。',
};
