import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { plainAddress } from '../lib/network/network.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { QuickHostKey, QuickHostKeyRow } from '../model/terminal.ts';
import { assertMay } from '../policy/account.ts';
import { judgeHostKey } from '../policy/host-key.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { HostKeys, PresentedHostKey, SshHop } from '../ports/ssh.ts';
import { hostKeyText, readHostKeyText } from './known-hosts/host-key-blob.ts';
import { fingerprintOf } from './known-hosts/parse.ts';

interface Deps {
  readonly repositories: Pick<Repositories, 'quick_host_keys'>;
  readonly enabled: boolean;
  readonly clock: Clock;
  readonly record: (action: 'quick_key_pin', detail: string) => Promise<void>;
  warnUnverified(hop: SshHop): void;
}

/** Trust on first use, separately for each user and address. */
export function createQuickHostKeys(deps: Deps): HostKeys {
  const { repositories, enabled, clock, record, warnUnverified } = deps;
  const pins = repositories.quick_host_keys;

  function judge(hop: SshHop, known: readonly string[], { host_key, fingerprint }: PresentedHostKey) {
    try {
      return judgeHostKey(known, host_key, enabled);
    } catch (cause) {
      const presented_key = { presented_host_key: hostKeyText(host_key), presented_fingerprint: fingerprint };
      throw new Fault(
        'host_key_changed',
        `The host key of ${hop.name} is not the key you pinned. It now presents ${fingerprint}. Either the ` +
          'host was reinstalled, or somebody is intercepting the connection. If you expected the new key, accept it.',
        { cause, stage: 'host_key', hop: hop.name, ...presented_key },
      );
    }
  }

  return {
    async judge(hop, presented) {
      const pinned = await pins.find(addressOf(hop));
      const verdict = judge(hop, pinned ? [pinned.host_key] : [], presented);
      if (verdict === 'unverified') warnUnverified(hop);
      return verdict;
    },

    async pin(hop, presented) {
      const address = addressOf(hop);
      const created_at = clock.now().toISOString();
      const in_force = await pins.pin({ ...address, ...presented, created_at });
      judge(hop, [in_force.host_key], presented); // two first connections at once pin only one key
      await record(
        'quick_key_pin',
        `${address.hostname}:${address.port}: ${presented.fingerprint}, for user #${address.user_id}`,
      );
    },

    secured: () => undefined, // there is no record to note it in
    announced: () => undefined, // an address alone cannot tell key rotation from an attack
  };
}

export function addressOf({ quick_user_id = 0, hostname, port }: SshHop) {
  return { user_id: quick_user_id, hostname: canonicalHost(hostname), port };
}

/** Canonical form of a host: 127.1, 0x7f.1 and ::ffff:127.0.0.1 are 127.0.0.1 (WHATWG URL §3.5). */
function canonicalHost(hostname: string): string {
  const host = withoutZone(hostname.toLowerCase().replace(/\.$/, ''));
  const address = host.includes(':') ? `http://[${host}]` : `http://${host}`;
  const canonical = URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : host;
  return plainAddress(canonical);
}

/** Removes the zone of an IPv4-mapped address, where it means nothing. */
function withoutZone(host: string): string {
  const plain = plainAddress(host.replace(/%.*$/, ''));
  return plain.includes(':') ? host : plain;
}

/** A user's own pinned host keys. */
export interface QuickPins {
  list(caller: Caller): Promise<QuickHostKey[]>;
  /** Pins this key, as in a `known_hosts` file, instead of the pinned one. */
  accept(caller: Caller, id: number, host_key: string): Promise<QuickHostKey>;
  forget(caller: Caller, id: number): Promise<void>;
}

export function createQuickPins({
  repositories: { quick_host_keys: pins },
  trail,
}: Pick<Deps, 'repositories'> & { readonly trail: AuditTrail }): QuickPins {
  return {
    async list(caller) {
      assertMay(caller, 'read');
      return (await pins.ofUser(caller.user_id)).map(toQuickHostKey);
    },

    async accept(caller, id, text) {
      assertMay(caller, 'change_own_host_keys');
      const host_key = readHostKeyText(text);
      const fingerprint = await fingerprintOf(host_key);
      const replaced = await pins.replace(caller.user_id, id, { host_key, fingerprint });
      if (!replaced) throw new Fault('quick_host_key_not_found');
      const { before, after } = replaced;
      const where = `${after.hostname}:${after.port}`;
      await trail.record(
        caller,
        'quick_key_accept',
        `${where}: ${fingerprint}, instead of ${before.fingerprint}`,
      );
      return toQuickHostKey(after);
    },

    async forget(caller, id) {
      assertMay(caller, 'change_own_host_keys');
      const gone = await pins.remove(caller.user_id, id);
      if (!gone) throw new Fault('quick_host_key_not_found');
      await trail.record(caller, 'quick_key_forget', `${gone.hostname}:${gone.port}: ${gone.fingerprint}`);
    },
  };
}

function toQuickHostKey({ id, hostname, port, fingerprint, created_at }: QuickHostKeyRow): QuickHostKey {
  return { id, hostname, port, fingerprint, created_at };
}
