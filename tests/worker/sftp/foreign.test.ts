import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import {
  type ForeignHost,
  has_proftpd,
  has_twisted,
  startProftpd,
  startTwisted,
} from '../../support/hosts/foreign/foreign-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { FRESH, failureOf, NEVER, worker } from '../setup.ts';
import { DIR, startSwappingHost } from './swapping-host.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

async function* content(text = 'new') {
  yield Buffer.from(text);
}

function targetTo({ port, username, password }: ForeignHost): SshTarget {
  const place = { server_id: 1, name: 'foreign', hostname: '127.0.0.1', port, username };
  return { hops: [{ ...place, ...FRESH, auth: { method: 'password', password } }] };
}

const rules = [
  ['without rules', false],
  ['with rules', true],
] as const;

/** A file that is there already, with a mode of its own. */
function putOld({ folder, uid }: ForeignHost, name: string): string {
  const target = join(folder, name);
  writeFileSync(target, 'old');
  chmodSync(target, 0o640);
  chownSync(target, uid, uid);
  return target;
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

async function put(session: FileSession, target: string, overwrite = true): Promise<void> {
  const options = { target, overwrite, is_private: true, signal: NEVER };
  await session.putPart(`${target}.part`, content(), options);
}

/** As tus does: each request opens the part again. */
async function putInSteps(session: FileSession, target: string): Promise<void> {
  const part = `${target}.part`;
  await session.createPart(part, { is_private: true });
  await session.appendPart(part, 0, content(), { signal: NEVER });
  await session.placePart(part, target, { overwrite: true });
}

describe.skipIf(!has_twisted)('Twisted, which cannot set the attributes of an open file', () => {
  let host: ForeignHost;
  beforeAll(async () => {
    host = await startTwisted(sshd);
  });
  afterAll(() => host?.stop());

  it.each(rules)('has a file overwritten with its mode kept, %s', async (_what, is_confined) => {
    const session = await worker().files.open(targetTo(host), { is_confined });
    const names = [`one-${is_confined}`, `steps-${is_confined}`];
    const [one = '', steps = ''] = names.map((name) => putOld(host, name));
    await put(session, one);
    await putInSteps(session, steps);
    for (const path of [one, steps]) {
      expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', '640']);
    }
    expect(
      readdirSync(host.folder).filter((name) => !names.includes(name) && name.endsWith('.part')),
    ).toEqual([]);
  });
});

describe.skipIf(!has_proftpd)('ProFTPD that does not let files be overwritten', () => {
  let host: ForeignHost;
  beforeAll(async () => {
    host = await startProftpd(sshd, ['AllowOverwrite off']);
  });
  afterAll(() => host?.stop());

  it.each(rules)('takes new files, %s', async (_what, is_confined) => {
    const session = await worker().files.open(targetTo(host), { is_confined });
    const [one, steps] = [join(host.folder, `one-${is_confined}`), join(host.folder, `steps-${is_confined}`)];
    await put(session, one);
    expect(readFileSync(one, 'utf8')).toBe('new');
    await putInSteps(session, steps);
    expect(readFileSync(steps, 'utf8')).toBe('new');
  });

  it('keeps the old content when a file is overwritten', async () => {
    const session = await worker().files.open(targetTo(host));
    const target = putOld(host, 'kept');
    expect(await failureOf(put(session, target, false))).toMatchObject({ code: 'already_exists' });
    expect(readFileSync(target, 'utf8')).toBe('old');
  });
});

describe('A server that knows the open flags of ssh2 only', () => {
  it('has a part created and opened again', async () => {
    const { session, open } = await startSwappingHost({});
    await session.createPart(`${DIR}/part`, { is_private: true });
    const wrong = session.appendPart(`${DIR}/part`, 1, content(), { signal: NEVER });
    expect(await failureOf(wrong)).toMatchObject({ code: 'upload_offset' });
    await expect.poll(open).toBe(0);
  });
});
