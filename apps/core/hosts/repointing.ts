import { Fault } from '../errors.ts';
import { type Caller, isSignIn } from '../model/accounts/caller.ts';
import type { ServerPatch, ServerRow } from '../model/hosts/server.ts';
import { assertFresh, credentialOf } from '../policy/account.ts';
import type { CheckedServer } from '../ports/repositories/hosts.ts';
import type { Repositories } from '../ports/repositories.ts';

/**
 * Keeps a stolen token or API key from sending stored credentials to another host. What was checked is returned, as a
 * condition of the write: reading a private key takes seconds, in which others may change the server.
 */
export interface Repointing {
  /** A fresh session may; an API key only with new credentials in place of those that are stored. */
  assertMayUpdate(caller: Caller, server: ServerRow, patch: ServerPatch): Promise<CheckedServer | undefined>;
  /** Another key would be trusted: the pin is cleared, or set by hand. */
  assertMayRepin(caller: Caller, server: ServerRow): Promise<CheckedServer>;
}

export interface RepointingOptions {
  /** `SERVICE_VERIFY_HOST_KEYS`. */
  readonly verify_host_keys: boolean;
}

type Secret = 'password' | 'private_key';
type Sent = Pick<ServerPatch, Secret>;

export function createRepointing(
  { servers }: Pick<Repositories, 'servers'>,
  { verify_host_keys }: RepointingOptions,
): Repointing {
  const isProven = ({ host_key }: ServerRow) => verify_host_keys && host_key !== null;

  /** Servers with credentials that a host in this one's place could receive, because no pin tells it apart. */
  async function exposedBehind(id: number): Promise<ServerRow[]> {
    const seen = new Map<number, ServerRow>();
    const waiting = [id];
    for (let via = waiting.pop(); via !== undefined; via = waiting.pop()) {
      const unproven = (await servers.jumpingVia(via)).filter((one) => !isProven(one) && !seen.has(one.id));
      for (const one of unproven) {
        seen.set(one.id, one);
        waiting.push(one.id);
      }
    }
    return [...seen.values()].filter((one) => keptSecrets(one, {}).length > 0);
  }

  async function assertMay(caller: Caller, server: ServerRow, sent: Sent): Promise<CheckedServer> {
    if (caller.is_fresh) return checkedOf(server, undefined);
    const is_key = !isSignIn(credentialOf(caller));
    const kept = keptSecrets(server, is_key ? sent : {});
    const behind = kept.length > 0 ? [] : await exposedBehind(server.id);
    if (kept.length === 0 && behind.length === 0)
      return checkedOf(server, verify_host_keys ? 'unpinned' : 'any');
    if (!is_key) assertFresh(caller);
    throw kept.length > 0 ? keptFault(server, kept) : behindFault(server, behind);
  }

  return {
    async assertMayUpdate(caller, server, patch) {
      if (isRepointed(server, patch)) return await assertMay(caller, server, patch);
      // A credential is meant for the host that its sender saw.
      return hasSecret(patch) ? checkedOf(server, undefined) : undefined;
    },
    assertMayRepin: (caller, server) => assertMay(caller, server, {}),
  };
}

function checkedOf(server: ServerRow, nothing_behind: CheckedServer['nothing_behind']): CheckedServer {
  const { hostname, port, jump_via_id, password_sealed, private_key_sealed, passphrase_sealed } = server;
  const secrets = { password_sealed, private_key_sealed, passphrase_sealed };
  return { hostname, port, jump_via_id, ...secrets, nothing_behind };
}

function hasSecret({ password, private_key, passphrase }: ServerPatch): boolean {
  return [password, private_key, passphrase].some((secret) => secret !== undefined);
}

function isRepointed(before: ServerRow, patch: ServerPatch): boolean {
  const { hostname = before.hostname, port = before.port, jump_via_id = before.jump_via_id } = patch;
  return hostname !== before.hostname || port !== before.port || (jump_via_id || null) !== before.jump_via_id;
}

/** Also those that the present method does not use: the method may be changed later. */
function keptSecrets({ password_sealed, private_key_sealed }: ServerRow, sent: Sent): Secret[] {
  const stored = { password: password_sealed !== null, private_key: private_key_sealed !== null };
  return (['password', 'private_key'] as const).filter((one) => stored[one] && sent[one] === undefined);
}

function keptFault({ name }: ServerRow, kept: readonly Secret[]): Fault {
  const detail = `${name} has a stored credential: send ${kept.join(' and ')} in the same request, or sign in`;
  const message = 'Required: the stored one must not reach another host';
  return new Fault('credential_required', detail, { errors: kept.map((path) => ({ path, message })) });
}

function behindFault({ name }: ServerRow, behind: readonly ServerRow[]): Fault {
  const names = behind.map((server) => server.name).join(', ');
  const detail = `The stored credentials of ${names} pass through ${name}: pin their host keys first, or sign in`;
  return new Fault('credential_required', detail);
}
