import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CountedStatements, countStatements, roundless } from '../../support/databases/statements.ts';
import { eventually } from '../../support/eventually.ts';
import { type Actor, describeEachGateway, logIn, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const FIRST_ENTRIES = ['host_key_pin', 'host_key_learn']; // of the first connection to a host

/** PostgreSQL counts the terminals of a user under a lock: the begin with the lock, and the commit, are calls of their own. */
const LOCKED_COUNT = 2;

/** PostgreSQL changes a user in a transaction, whose begin and commit are calls of their own. */
const CHANGED_USER = 2;

const countOf = (texts: readonly string[], part: string) =>
  texts.filter((text) => text.includes(part)).length;
const entriesIn = (texts: readonly string[]) => countOf(texts, 'insert into "audit_entries"');

describeEachGateway(
  'The database is called',
  (gateway, dialect) => {
    let people = 0;
    let user: Actor;
    let username: string;
    let server_id: number;
    let counted: CountedStatements | undefined;
    beforeEach(async () => {
      people += 1;
      username = `person ${people}`;
      user = await gateway().user({ username, allowed_groups: ['lab'] });
      const { port, username: account, password } = sshd;
      server_id = (await gateway().addServer({ port, username: account, password })).id;
    });
    afterEach(() => counted?.stop());

    const count = () => {
      counted = countStatements();
      return counted;
    };

    it('at most twice by an authenticated request', async () => {
      await user.call('GET', '/api/servers');
      const { calls } = count();
      expect((await user.call('GET', '/api/servers')).status).toBe(200);
      expect(calls(dialect)).toBeLessThanOrEqual(2);
    });

    it('at most four times by a download', async () => {
      const path = join(sshd.folder, 'file');
      await writeFile(path, 'content');
      await chown(path, sshd.uid, sshd.uid);
      const { texts, stop } = count();
      await user.call('GET', `/api/files/${server_id}/ls?path=${sshd.folder}`);
      await eventually(() => {
        expect(entriesIn(texts)).toBe(FIRST_ENTRIES.length);
        expect(countOf(texts, 'update "uploads"')).toBe(1); // the host is reached: its abandoned parts are removed
        expect(countOf(texts, 'commit')).toBe(countOf(texts, 'begin'));
      });
      stop();
      const { calls } = count();
      const response = await user.fetch(`/api/files/${server_id}/download?path=${path}`);
      expect(await response.text()).toBe('content');
      expect(calls(dialect)).toBeLessThanOrEqual(4);
    });

    it('at most eight times by a sign-in', async () => {
      const { calls } = count();
      expect((await logIn(gateway().anonymous, username, USER_PASSWORD)).status).toBe(200);
      expect(calls(dialect)).toBeLessThanOrEqual(8 + (dialect === 'postgres' ? CHANGED_USER : 0));
    });

    it('at most fourteen times by a terminal that is opened with a ticket and closed', async () => {
      await callsOfTerminal([...FIRST_ENTRIES, 'terminal_open', 'terminal_close']);
      const calls = await callsOfTerminal(['terminal_open', 'terminal_close']);
      expect(calls).toBeLessThanOrEqual(14 + (dialect === 'postgres' ? LOCKED_COUNT : 0));
    });

    /** Counts until all is stored: an audit entry of each action, and the removal of the session. */
    async function callsOfTerminal(actions: readonly string[]): Promise<number> {
      const { texts, calls, stop } = count();
      const { body } = await user.call('POST', '/api/auth/ws-ticket');
      const address = `${gateway().url}/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${body['ticket']}`;
      const client = openTerminal(address);
      await client.frame('session');
      client.close(1000);
      await eventually(() => {
        expect(countOf(texts, 'delete from "terminal_sessions"')).toBe(1);
        expect(entriesIn(texts)).toBe(actions.length);
      });
      stop();
      return calls(dialect);
    }
  },
  { clock: roundless },
);
