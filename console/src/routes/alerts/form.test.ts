import { expect, test } from 'vitest';
import { channelOf, conditionParts, conditionsOf, isChannelReady, isRuleReady, labelsOf, newAlert, ruleOf, typedChannel, typedRule } from './form';

test.each([
  { name: 'mail', email: { server: 'smtp.example.org', port: 25, security: 'none' as const, username: 'jobs', password: { file: 'smtp' }, from: 'Jobs <jobs@example.org>', to: ['a@example.org', 'B C <b@example.org>'] } },
  { name: 'mail', email: { server: 'smtp.example.org', from: 'jobs@example.org', to: [] } },
  { name: 'chat', slack: { url: '***' } },
  { name: 'hook', webhook: { url: 'https://example.org/', secret: { env: 'HOOK' } } },
])('a channel is the same after the form: $name', (spec) => {
  const typed = typedChannel(spec);
  expect(isChannelReady(typed)).toBe(true);
  expect(channelOf(typed)).toEqual(spec);
});

test('a channel of another kind leaves out what it does not have', () => {
  const typed = { ...typedChannel({ name: 'x', webhook: { url: 'https://a.example/', secret: 's' } }), kind: 'slack' as const };
  expect(channelOf(typed)).toEqual({ name: 'x', slack: { url: 'https://a.example/' } });
  expect(isChannelReady({ ...typed, kind: 'email' })).toBe(false);
});

test('a rule is the same after the form', () => {
  const spec = { name: 'r', namespace: 'default', labels: { team: 'hr' }, alerts: [{ failed: true, late: '10m', channels: ['mail'] }, { failed_in_row: 3, runs_longer: '1h', misfired: true, deadline_missed: true, channels: ['mail', 'chat'], to: ['boss@example.org'], repeat: '4h', recovered: false }] };
  const typed = typedRule(spec, '-');
  expect(isRuleReady(typed)).toBe(true);
  expect(ruleOf(typed)).toEqual(spec);
});

test('a rule needs a name, a condition, a channel and whole labels', () => {
  const typed = { ...typedRule(undefined, 'default'), name: 'r', alerts: [{ ...newAlert, channels: ['mail'] }] };
  expect(isRuleReady(typed)).toBe(true);
  expect(isRuleReady({ ...typed, name: ' ' })).toBe(false);
  expect(isRuleReady({ ...typed, labels: 'team' })).toBe(false);
  expect(isRuleReady({ ...typed, alerts: [newAlert] })).toBe(false);
  expect(isRuleReady({ ...typed, alerts: [{ ...newAlert, failed: false, channels: ['mail'] }] })).toBe(false);
  expect(labelsOf('a=1, b=x=y')).toEqual({ a: '1', b: 'x=y' });
});

test('conditions are spelt as the API does', () => {
  expect(conditionsOf({ late: '10m', failed: true, misfired: false, channels: [] })).toEqual(['failed', 'late 10m']);
  expect(conditionParts('failed_in_row 3')).toEqual(['failed_in_row', '3']);
  expect(conditionParts('failed')).toEqual(['failed', '']);
});
