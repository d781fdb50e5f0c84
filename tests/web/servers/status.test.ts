import { describe, expect, it } from 'vitest';
import { createTranslate } from '../../../apps/web/i18n/languages.ts';
import { describeStatus, type ShownStatus } from '../../../apps/web/servers/status/status.ts';

const status = (fields: Partial<ShownStatus>): ShownStatus => ({
  status: 'unchecked',
  last_checked: null,
  latency_ms: null,
  error: null,
  error_code: null,
  ...fields,
});

describe('A server’s status in words', () => {
  const say = (fields: Partial<ShownStatus>) =>
    describeStatus(
      status(fields),
      'en',
      createTranslate(() => 'en'),
    );

  it('says so when nothing is known', () => {
    expect(say({})).toBe('Not checked');
  });

  it('says when it was looked at, and how fast it was', () => {
    const checked = { last_checked: '2026-01-01T10:00:00Z', latency_ms: 12.4 };
    expect(say({ status: 'online', ...checked })).toMatch(/^Online · 12 ms · checked .*2026/);
  });

  it('says why it is offline', () => {
    expect(say({ status: 'offline', error: 'Cannot reach web:22' })).toBe('Offline · Cannot reach web:22');
  });

  it('says in words of their own that a host key has changed', () => {
    const error = 'The host key of web is not the one that was pinned';
    expect(say({ status: 'offline', error, error_code: 'host_key_changed' })).toBe(
      `Host key changed · ${error}`,
    );
  });

  it('says why a check did not go as far as to tell', () => {
    const error = 'bastion asks for its password at connect';
    expect(say({ error })).toBe(`Not checked · ${error}`);
  });

  it('says that it is not known while the gateway does not answer', () => {
    expect(say({ status: 'unknown' })).toBe('Not known just now');
  });

  it('says when the host key was not verified', () => {
    expect(say({ status: 'online', host_key_verified: false })).toBe('Online · host key not verified');
  });
});
