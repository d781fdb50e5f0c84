import { describe, expect, it } from 'vitest';
import { describeStatus, type ShownStatus } from '../../../apps/web/servers/status/status.ts';
import { translateTo } from '../../support/texts.ts';

const status = (fields: Partial<ShownStatus>): ShownStatus => ({
  status: 'unchecked',
  last_checked: null,
  offline_since: null,
  latency_ms: null,
  error: null,
  error_code: null,
  ...fields,
});

describe('The text of a server’s status', () => {
  const say = (fields: Partial<ShownStatus>) => describeStatus(status(fields), 'en', translateTo('en'));

  it('says that it is unknown', () => {
    expect(say({})).toBe('Not checked');
  });

  it('says when the server was checked, and its latency', () => {
    const checked = { last_checked: '2026-01-01T10:00:00Z', latency_ms: 12.4 };
    expect(say({ status: 'online', ...checked })).toMatch(/^Online · 12 ms · checked .*2026/);
  });

  it('says why the server is offline', () => {
    expect(say({ status: 'offline', error: 'Cannot reach web:22' })).toBe('Offline · Cannot reach web:22');
  });

  it('says since when the server is offline', () => {
    const offline_since = '2026-01-01T10:00:00Z';
    expect(say({ status: 'offline', offline_since })).toMatch(/^Offline · since .*2026/);
  });

  it('says that a host key has changed', () => {
    const error = 'The host key of web is not the one that was pinned';
    expect(say({ status: 'offline', error, error_code: 'host_key_changed' })).toBe(
      `Host key changed · ${error}`,
    );
  });

  it('says why a check could not decide', () => {
    const error = 'bastion asks for its password at connect';
    expect(say({ error })).toBe(`Not checked · ${error}`);
  });

  it('says that the status is unknown while the gateway does not answer', () => {
    expect(say({ status: 'unknown' })).toBe('Status unknown');
  });

  it('says that the host key was not verified', () => {
    expect(say({ status: 'online', host_key_verified: false })).toBe('Online · host key not verified');
  });
});
