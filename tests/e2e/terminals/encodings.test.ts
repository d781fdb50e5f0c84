import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createKeptPlace } from '../../support/features/keepers.ts';
import { closedRecording, fileOf, readCast } from '../../support/features/recordings.ts';
import { resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import type { TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const TEXT = '汉字';
const GBK = Buffer.from([0xba, 0xba, 0xd7, 0xd6]);
const SAID = /said-[^%]+-1/; // without the typed command
const OCTAL = '\\272\\272\\327\\326';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const hostFields = () => {
  const { port, username, password } = sshd;
  return { name: 'old', port, username, password, terminal_encoding: 'gbk' };
};

/** Bytes that the host writes, then what is typed into a file of the host. */
async function speak(client: TerminalClient, name: string): Promise<Buffer> {
  client.type(`stty -echo; PS1=; printf 'said-%b-%s\\n' '${OCTAL}' 1\r`);
  await client.sees(SAID);
  expect(client.output()).toContain(`said-${TEXT}-1`);
  const path = join(sshd.folder, name);
  client.type(`echo rea''dy-${name}; cat > ${path}\r`);
  await client.sees(new RegExp(`ready-${name}`));
  client.type(`${TEXT}\n\x04`);
  return eventually(async () => {
    const written = await readFile(path);
    expect(written.length).toBeGreaterThan(0);
    return written;
  });
}

describe('A terminal of a server that speaks GBK', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { SERVICE_RECORD_SESSIONS: 'true' } });
  });
  afterAll(() => gateway?.close());

  it('is UTF-8 for its owner, a guest and the recording; the host gets what is typed as GBK', async () => {
    const { id } = await gateway.addServer(hostFields());
    const { client, session_id } = await shellOn(gateway, id, gateway.admin);
    const share = await gateway.admin.call<{ token: string }>('POST', `/api/terminal/share/${session_id}`);
    const guest = socketTo(gateway, `join/${share.body.token}?mode=rw`, gateway.admin);
    await guest.frame('joined');
    expect(await speak(client, 'by-owner')).toEqual(Buffer.concat([GBK, Buffer.from('\n')]));
    await guest.sees(SAID);
    expect(guest.output()).toContain(`said-${TEXT}-1`);
    expect(await speak(guest, 'by-guest')).toEqual(Buffer.concat([GBK, Buffer.from('\n')]));
    client.type('exit\r');
    await client.closed();
    const { output } = await readCast(fileOf(gateway, await closedRecording(gateway.admin)));
    expect(output).toContain(`said-${TEXT}-1`);
    expect(output).not.toContain('\ufffd');
  });
});

describe('A terminal of a server that speaks GBK, in a keeper', () => {
  it('goes on in UTF-8 after the gateway has restarted', async () => {
    const place = createKeptPlace();
    const first = await place.start();
    const server_id = await first.addServer(sshd, 'old', { terminal_encoding: 'gbk' });
    const { client, session_id } = await shellOn(first, server_id, first);
    await speak(client, 'before-restart');
    const offset = client.outputBytes().length;
    await first.stop();
    const second = await place.start();
    const again = resumed(second, { session_id, offset }, second);
    await again.frame('session');
    expect(await speak(again, 'after-restart')).toEqual(Buffer.concat([GBK, Buffer.from('\n')]));
    await second.stop();
    await place.close();
  });
});
