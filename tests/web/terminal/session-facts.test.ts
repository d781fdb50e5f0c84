import { describe, expect, it } from 'vitest';
import { createSessionFacts } from '../../../apps/web/terminal/session-facts.ts';

const host_key = { fingerprint: 'SHA256:abc', is_new: true };
const session = {
  type: 'session',
  session_id: 's',
  offset: 0,
  server: 'web',
  recording: true,
  resume_s: 120,
  connection: [] as never[],
  cols: 80,
  rows: 24,
} as const;
const joined = { type: 'joined', session_id: 's', server: 'web', owner: 'ada', cols: 80, rows: 24 } as const;
const participant = {
  id: '1',
  username: 'ada',
  role: 'owner',
  mode: 'rw',
  typing: false,
  you: true,
} as const;

const hop = {
  ...{ hop: 'web', key_exchange: 'mlkem768x25519-sha256', cipher: 'aes128-gcm@openssh.com' },
  ...{ host_key_type: 'ssh-ed25519', server_version: 'OpenSSH_10.0p2', is_post_quantum: true },
};

describe('the facts of a terminal connection', () => {
  it('include how the connection is protected, until the next one', () => {
    const facts = createSessionFacts();
    facts.learn({ ...session, connection: [hop] });
    expect(facts.connection()).toEqual([hop]);
    facts.begin();
    expect(facts.connection()).toEqual([]);
  });

  it('are reset for the next connection', () => {
    const facts = createSessionFacts();
    facts.learn({ ...session, host_key });
    facts.learn({ type: 'participants', list: [participant] });
    facts.note({ code: 'input_lost', message: '' });
    facts.begin();
    expect([facts.host_key(), facts.notice(), facts.participants(), facts.recording()]).toEqual([
      ...[undefined, undefined, [], false],
    ]);
  });

  it('include a notice when the owner changes the rights of a guest', () => {
    const facts = createSessionFacts();
    facts.learn({ ...joined, mode: 'rw' });
    facts.learn({ type: 'mode', mode: 'ro' });
    expect([facts.mode(), facts.notice()?.code]).toEqual(['ro', 'mode_ro']);
  });

  it('include that a shell ends with the page where nothing can be resumed, unless it is somebody else’s', () => {
    const facts = createSessionFacts();
    facts.learn({ ...session, resume_s: 0 });
    expect(facts.outlives_page()).toBe(false);
    facts.learn({ ...joined, mode: 'ro' });
    expect(facts.outlives_page()).toBe(true);
  });
});
