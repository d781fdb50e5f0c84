import { describe, expect, it } from 'vitest';
import { agentOf } from '../../../apps/web/account/user-agent.ts';

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('a user agent description', () => {
  it.each([
    [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox', 'Linux'],
    [
      `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
      'Chrome',
      'Windows',
    ],
    [
      `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Edge',
      'Windows',
    ],
    [
      `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
      'Safari',
      'macOS',
    ],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1`,
      'Chrome',
      'iOS',
    ],
    [`${MOZILLA} (Linux; Android 16) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android'],
  ])('names %s', (user_agent, browser, system) => {
    expect(agentOf(user_agent)).toEqual({ browser, system });
  });

  it('names a program by its own name', () => {
    expect(agentOf('curl/8.14.1')).toEqual({ browser: 'curl' });
    expect(agentOf('python-requests/2.32')).toEqual({ browser: 'python-requests' });
  });

  it.each(['', MOZILLA, '(none)'])('does not guess for %j', (user_agent) => {
    expect(agentOf(user_agent)).toBeUndefined();
  });
});
