/** Channels and rules as people type them, and as the API takes them. */
import type { AlertSpec, ChannelSpec, RuleSpec, Secret } from './queries';

export const channelKinds = ['email', 'slack', 'wecom', 'dingtalk', 'feishu', 'webhook'] as const;
export type ChannelKind = (typeof channelKinds)[number];
/** The kinds whose messages a secret signs. */
export const signed: readonly ChannelKind[] = ['dingtalk', 'feishu', 'webhook'];

/** A secret: its text, or where servers find it. */
export interface TypedSecret {
  place: 'text' | 'file' | 'env';
  text: string;
}

export interface TypedChannel {
  name: string;
  kind: ChannelKind;
  url: TypedSecret;
  secret: TypedSecret;
  server: string;
  port: string;
  security: 'starttls' | 'tls' | 'none';
  username: string;
  password: TypedSecret;
  from: string;
  to: string;
}

export const conditions = ['failed', 'failed_in_row', 'late', 'runs_longer', 'misfired', 'deadline_missed'] as const;
export type Condition = (typeof conditions)[number];

/** One part of a rule: conditions and who is told. */
export interface TypedAlert {
  failed: boolean;
  misfired: boolean;
  deadline_missed: boolean;
  failed_in_row: string;
  late: string;
  runs_longer: string;
  channels: readonly string[];
  to: string;
  repeat: string;
  recovered: boolean;
}

export interface TypedRule {
  name: string;
  namespace: string;
  job: string;
  labels: string;
  alerts: readonly TypedAlert[];
}

export const noSecret: TypedSecret = { place: 'text', text: '' };

function typedSecret(secret: Secret | null | undefined): TypedSecret {
  if (!secret) return noSecret;
  if (typeof secret === 'string') return { place: 'text', text: secret };
  return secret.file ? { place: 'file', text: secret.file } : { place: 'env', text: secret.env ?? '' };
}

function secretOf({ place, text }: TypedSecret): Secret | undefined {
  if (text.trim() === '') return undefined;
  return place === 'text' ? text : { [place]: text.trim() };
}

/** Words that spaces or commas separate. Addresses with a name in front contain spaces: those are one a line. */
const lines = (text: string) => text.split(/[\n,;]+/).map((part) => part.trim()).filter(Boolean);

export function typedChannel(spec: ChannelSpec | undefined): TypedChannel {
  const kind = channelKinds.find((each) => spec?.[each]) ?? 'email';
  const hook = kind === 'email' ? undefined : spec?.[kind];
  const email = spec?.email;
  return {
    name: spec?.name ?? '',
    kind,
    url: typedSecret(hook?.url),
    secret: typedSecret(hook?.secret),
    server: email?.server ?? '',
    port: email?.port ? String(email.port) : '',
    security: email?.security ?? 'starttls',
    username: email?.username ?? '',
    password: typedSecret(email?.password),
    from: email?.from ?? '',
    to: (email?.to ?? []).join('\n'),
  };
}

export function channelOf(typed: TypedChannel): ChannelSpec {
  const name = typed.name.trim();
  if (typed.kind !== 'email') {
    const secret = signed.includes(typed.kind) ? secretOf(typed.secret) : undefined;
    return { name, [typed.kind]: { url: secretOf(typed.url) ?? '', ...(secret ? { secret } : {}) } };
  }
  const password = secretOf(typed.password);
  const port = typed.port.trim();
  return {
    name,
    email: {
      server: typed.server.trim(),
      ...(port === '' ? {} : { port: Number(port) }),
      ...(typed.security === 'starttls' ? {} : { security: typed.security }),
      ...(typed.username.trim() === '' ? {} : { username: typed.username.trim() }),
      ...(password ? { password } : {}),
      from: typed.from.trim(),
      to: lines(typed.to),
    },
  };
}

/** Whether what must be given is given. */
export function isChannelReady(typed: TypedChannel): boolean {
  if (typed.name.trim() === '' || !/^\d{0,5}$/.test(typed.port.trim())) return false;
  return typed.kind === 'email' ? typed.server.trim() !== '' && typed.from.trim() !== '' : typed.url.text.trim() !== '';
}

export const newAlert: TypedAlert = { failed: true, misfired: false, deadline_missed: false, failed_in_row: '', late: '', runs_longer: '', channels: [], to: '', repeat: '', recovered: true };

function typedAlert(spec: AlertSpec): TypedAlert {
  return {
    failed: spec.failed ?? false,
    misfired: spec.misfired ?? false,
    deadline_missed: spec.deadline_missed ?? false,
    failed_in_row: spec.failed_in_row ? String(spec.failed_in_row) : '',
    late: spec.late ?? '',
    runs_longer: spec.runs_longer ?? '',
    channels: spec.channels,
    to: (spec.to ?? []).join('\n'),
    repeat: spec.repeat ?? '',
    recovered: spec.recovered ?? true,
  };
}

function alertOf(typed: TypedAlert): AlertSpec {
  const given = (key: 'late' | 'runs_longer' | 'repeat') => (typed[key].trim() === '' ? {} : { [key]: typed[key].trim() });
  const row = typed.failed_in_row.trim();
  const to = lines(typed.to);
  return {
    ...(typed.failed ? { failed: true } : {}),
    ...(row === '' ? {} : { failed_in_row: Number(row) }),
    ...given('late'),
    ...given('runs_longer'),
    ...(typed.misfired ? { misfired: true } : {}),
    ...(typed.deadline_missed ? { deadline_missed: true } : {}),
    channels: [...typed.channels],
    ...(to.length > 0 ? { to } : {}),
    ...given('repeat'),
    ...(typed.recovered ? {} : { recovered: false }),
  };
}

export function typedRule(spec: RuleSpec | undefined, namespace: string): TypedRule {
  const labels = Object.entries(spec?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return {
    name: spec?.name ?? '',
    namespace: spec ? (spec.namespace ?? '') : namespace === '-' ? '' : namespace,
    job: spec?.job ?? '',
    labels: labels.join(', '),
    alerts: spec ? spec.alerts.map(typedAlert) : [newAlert],
  };
}

export function ruleOf(typed: TypedRule): RuleSpec {
  const labels = labelsOf(typed.labels);
  return {
    name: typed.name.trim(),
    ...(typed.namespace.trim() === '' ? {} : { namespace: typed.namespace.trim() }),
    ...(typed.job.trim() === '' ? {} : { job: typed.job.trim() }),
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    alerts: typed.alerts.map(alertOf),
  };
}

/** Reads `team=hr, tier=gold`; nothing if a part has no `=`. */
export function labelsOf(text: string): Record<string, string> | undefined {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.some((part) => part.indexOf('=') < 1)) return undefined;
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
}

/** Whether a rule has a name, and in each part a condition and a channel. */
export function isRuleReady(typed: TypedRule): boolean {
  const whole = (alert: TypedAlert) =>
    alert.channels.length > 0 &&
    /^\d{0,4}$/.test(alert.failed_in_row.trim()) &&
    (alert.failed || alert.misfired || alert.deadline_missed || [alert.failed_in_row, alert.late, alert.runs_longer].some((text) => text.trim() !== ''));
  return typed.name.trim() !== '' && labelsOf(typed.labels) !== undefined && typed.alerts.length > 0 && typed.alerts.every(whole);
}

/** The conditions of a part, as the API spells them: `failed`, `late 10m`. */
export function conditionsOf(spec: AlertSpec): string[] {
  return conditions.flatMap((name) => {
    const value = spec[name];
    return value === undefined || value === null || value === false ? [] : [value === true ? name : `${name} ${value}`];
  });
}

/** Splits `late 10m` into its name and its measure. */
export function conditionParts(text: string): [name: string, measure: string] {
  const at = text.indexOf(' ');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
