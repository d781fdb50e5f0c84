import type { AuthContext, Connection } from 'ssh2';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { isChecked, isOnline, statusOf, untilRounds, untilStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { insidesOf } from '../../worker/ssh/hostile-login.ts';
import { type SshDouble, startDouble } from '../../worker/ssh-double.ts';

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '1',
  SERVICE_MONITOR_TIMEOUT: '1',
};
const ROUNDS = 3;
const GARBAGE = Buffer.alloc(64, 7);

type Misdeed = (context: AuthContext, client: Connection) => void;

/** A host that accepts only passwords, and then does this. */
function startHost(afterPassword: Misdeed): Promise<SshDouble> {
  return startDouble({
    decide(context, client) {
      if (context.method === 'password') afterPassword(context, client);
      else context.reject(['password']);
    },
  });
}

const passwordsAt = (host: SshDouble) => host.offered.filter((method) => method === 'password').length;

/** And how often the password is sent: an ambiguous end counts from the second time on. */
const MISDEEDS: [string, Misdeed, RegExp, number][] = [
  ['refuses it', (context) => context.reject(['password']), /refused the password/, 1],
  ['hangs up', (_, client) => insidesOf(client)._sock.destroy(), /closed the connection/, 2],
  ['says goodbye', (_, client) => client.end(), /closed the connection/, 2],
  ['stalls past the time-out', () => {}, /was not ready within 1 s/, 2],
  ['breaks the protocol', (_, client) => insidesOf(client)._sock.write(GARBAGE), /broke the SSH protocol/, 2],
];

async function withGateway(
  env: Record<string, string>,
  play: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway({ env });
  await play(gateway).finally(gateway.close);
}

describe('A credential after which the host', () => {
  it.each(MISDEEDS)('%s is not sent again round after round', async (_what, misdeed, error, times) => {
    const host = await startHost(misdeed);
    await withGateway(MONITOR, async ({ admin, addServer }) => {
      const { id } = await addServer({ port: host.port, password: 'of a test' });
      const first = await untilStatus(admin, id, isChecked);
      await untilRounds(admin, id, ROUNDS);
      expect(passwordsAt(host)).toBe(times);
      expect(first).toMatchObject({ status: 'offline', error: expect.stringMatching(error) });
      expect(await statusOf(admin, id)).toMatchObject({ status: 'offline', error: first.error });
    });
  });
});

describe('A credential before which the host disconnects', () => {
  it('is sent in the next round', async () => {
    const host = await startDouble({
      decide(context, client) {
        if (context.method === 'password') context.accept();
        else if (host.offered.length === 1) client.end();
        else context.reject(['password']);
      },
    });
    await withGateway(MONITOR, async ({ admin, addServer }) => {
      const { id } = await addServer({ port: host.port, password: 'of a test' });
      expect(await untilStatus(admin, id, isChecked)).toMatchObject({ status: 'offline' });
      await untilStatus(admin, id, isOnline);
    });
  });
});

describe('Files that could not be connected to', () => {
  it('are audited with the user, the account and the code of the refusal', async () => {
    const host = await startHost((context) => context.reject(['password']));
    await withGateway({}, async ({ admin, user, addServer }) => {
      const person = await user({ username: 'person', allowed_groups: ['lab'] });
      const { id } = await addServer({ name: 'typed', port: host.port, auth_method: 'prompt' });
      const typed = { username: 'deploy', password: 'a wrong secret' };
      expect((await person.call('POST', `/api/files/${id}/connect`, typed)).status).toBe(502);
      const { body } = await admin.call<AuditEntry[]>('GET', '/api/auth/audit?action=sftp_connect');
      const detail = `typed (#${id}) as deploy: host_auth_failed`;
      expect(body).toEqual([expect.objectContaining({ username: 'person', detail })]);
      expect(JSON.stringify(body)).not.toContain(typed.password);
    });
  });
});
