import type { AuthContext, Connection } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { Shell, SshTarget } from '#core/ports/ssh.ts';
import { startSshdWithBanner } from '../../support/hosts/banner.ts';
import type { Sshd } from '../../support/hosts/sshd.ts';
import { failureOf, hopTo, judging, request, targetTo, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';

const SENT =
  '\n  Authorized use only.\r\n\tLine two\u0007 \u001b[1;31mred\u001b[0m \u009bx\u202egnitfil\u202c\n\n';
const SHOWN = '  Authorized use only.\n    Line two red xgnitfil';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshdWithBanner(SENT);
});
afterAll(() => sshd?.stop());

interface Opened {
  readonly banners: { name: string; text: string }[];
  readonly opened: Promise<Shell>;
}

/** Opens a shell, and keeps the banners on the way. */
function open(target: SshTarget, options: Parameters<typeof worker>[0] = {}): Opened {
  const banners: Opened['banners'] = [];
  const banner = (one: { name: string; text: string }) => void banners.push(one);
  return { banners, opened: worker(options).shells.open(target, request({ banner })) };
}

describe('The banner of a host', () => {
  it('is passed on as printable lines before the shell is open', async () => {
    const { banners, opened } = open(targetTo(sshd));
    await opened;
    expect(banners).toEqual([{ name: 'web-1', text: SHOWN }]);
  });

  it('names the hop of a chain that says it', async () => {
    const { banners, opened } = open({ hops: [hopTo(sshd, { name: 'gate' }), hopTo(sshd)] });
    await opened;
    expect(banners.map(({ name }) => name)).toEqual(['gate', 'web-1']);
  });

  it('is passed on when the login is refused', async () => {
    const auth = { method: 'password', password: 'wrong' } as const;
    const { banners, opened } = open(targetTo(sshd, { auth }));
    expect(await failureOf(opened)).toMatchObject({ code: 'host_auth_failed' });
    expect(banners).toEqual([{ name: 'web-1', text: SHOWN }]);
  });

  it('is in the authentication stage of a connection test, and in no other', async () => {
    const { stages } = await worker().prober.test(targetTo(sshd));
    expect(stages.filter(({ banner }) => banner !== undefined)).toMatchObject([
      { name: 'auth', ok: true, banner: SHOWN },
    ]);
  });

  it('is not passed on without a verified host key', async () => {
    const { banners, opened } = open(targetTo(sshd), {
      host_keys: judging(async () => {
        throw new Fault('host_key_changed');
      }),
    });
    expect(await failureOf(opened)).toMatchObject({ code: 'host_key_changed' });
    expect(banners).toEqual([]);
  });
});

/** ssh2 as a server sends one banner at most. */
function say(client: Connection, text: string): void {
  const { _protocol } = client as unknown as { _protocol: Protocol };
  const bytes = Buffer.from(text);
  const { write } = _protocol._packetRW;
  const packet = write.alloc(1 + 4 + bytes.length + 4);
  const at = write.allocStart;
  packet[at] = 53; // SSH_MSG_USERAUTH_BANNER
  packet.writeUInt32BE(bytes.length, at + 1);
  bytes.copy(packet, at + 5);
  packet.writeUInt32BE(0, at + 5 + bytes.length);
  _protocol._cipher.encrypt(write.finalize(packet));
}

interface Protocol {
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number;
      alloc(bytes: number): Buffer;
      finalize(packet: Buffer): Buffer;
    };
  };
  readonly _cipher: { encrypt(packet: Buffer): void };
}

describe('A host with a flood of banners', () => {
  it.each([
    ['many', 500, 'ab', { count: 8, bytes: 16 }],
    ['long', 20, 'é'.repeat(10_000), { count: 1, bytes: 8192 }],
  ])('is cut off: %s', async (_what, count, text, expected) => {
    const decide = (context: AuthContext, client: Connection) => {
      for (let sent = 0; sent < count; sent += 1) say(client, text);
      context.accept();
    };
    const { banners, opened } = open((await startDouble({ decide })).target());
    await opened;
    const all = banners.map((one) => one.text).join('');
    expect({ count: banners.length, bytes: Buffer.byteLength(all) }).toEqual(expected);
  });
});
