import { serverLabel } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { createRepeated } from '../lib/time/recent.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { HostKeyVerdict } from '../policy/host-key.ts';
import { judgeHostKey } from '../policy/host-key.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { HostKeys, PresentedHostKey, SshHop } from '../ports/ssh.ts';
import { hostKeyText } from './known-hosts/host-key-blob.ts';
import type { RevokedKeys } from './known-hosts/revoked.ts';
import { addressOf, createQuickHostKeys } from './quick-host-keys.ts';

const SAME_WARNING_MS = 60 * 60_000;

interface Deps {
  readonly repositories: Pick<Repositories, 'servers' | 'quick_host_keys'>;
  readonly revoked: Pick<RevokedKeys, 'isRevoked' | 'without'>;
  /** From `SERVICE_VERIFY_HOST_KEYS`. */
  readonly enabled: boolean;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** Stores the keys that a host is trusted by. */
  readonly record: (
    action: 'host_key_learn' | 'host_key_pin' | 'host_key_rotate' | 'quick_key_pin',
    detail: string,
  ) => Promise<void>;
}

function changedKey(hop: SshHop, { host_key, fingerprint }: PresentedHostKey, cause: unknown): Fault {
  const presented_key = { presented_host_key: hostKeyText(host_key), presented_fingerprint: fingerprint };
  return new Fault(
    'host_key_changed',
    `The host key of ${hop.name} (${hop.hostname}:${hop.port}) is not the one that was pinned: it now presents ` +
      `${fingerprint}. Either the host was reinstalled, or somebody is intercepting the connection. ` +
      'If you expected the new key, an administrator can accept it.',
    { cause, stage: 'host_key', hop: hop.name, ...presented_key },
  );
}

function revokedKey({ name, hostname, port, quick_user_id }: SshHop, presented: PresentedHostKey): Fault {
  const where = quick_user_id === undefined ? `${name} (${hostname}:${port})` : name;
  return new Fault(
    'host_key_revoked',
    `${where} presents a host key that an administrator has revoked: ${presented.fingerprint}. Somebody else may ` +
      'have its private key, so nothing was sent to it. Give the host a new key.',
    { stage: 'host_key', hop: name },
  );
}

/** Trust on first use: checks each hop against its keys in the database. */
export function createHostKeys(deps: Deps): HostKeys {
  const { repositories, revoked, enabled, clock, background, log, record } = deps;
  const { servers } = repositories;
  const isRepeated = createRepeated(clock, SAME_WARNING_MS);
  /** The record of each hop as it was when its key was judged. */
  const records = new WeakMap<SshHop, ServerRow>();

  function judge(hop: SshHop, known: readonly string[], presented: PresentedHostKey): HostKeyVerdict {
    try {
      return judgeHostKey(known, presented.host_key, enabled);
    } catch (cause) {
      throw changedKey(hop, presented, cause);
    }
  }

  function warnUnverified({ server_id, name }: SshHop): void {
    if (isRepeated(`${server_id} ${name}`)) return;
    log.warn({ server_id, server: name }, 'The host key was not verified: SERVICE_VERIFY_HOST_KEYS is off');
  }

  async function follow(
    hop: SshHop,
    presented: PresentedHostKey,
    keys: readonly PresentedHostKey[],
  ): Promise<void> {
    const server = await servers.byId(hop.server_id);
    if (!enabled || !server || !isSameHost(server, hop)) return;
    const next = rotated(server, presented, await revoked.without(hop, keys));
    if (!next) return;
    const { pin, others } = next;
    const is_replaced = await servers.replaceHostKeys({
      server_id: server.id,
      hostname: server.hostname,
      port: server.port,
      instead_of: server.host_key,
      ...pin,
      announced_host_keys: others,
    });
    if (is_replaced) await recordFollowed(server, pin, others);
  }

  /** A host that only announces further keys has replaced none. */
  async function recordFollowed(
    server: ServerRow,
    pin: PresentedHostKey,
    others: readonly PresentedHostKey[],
  ): Promise<void> {
    const known = knownKeys(server);
    const trusted = [pin, ...others];
    const isKept = (key: string) => trusted.some(({ host_key }) => host_key === key);
    if (pin.host_key !== server.host_key || !known.every(isKept))
      return record('host_key_rotate', describe(server, pin, others));
    const learned = others.filter(({ host_key }) => !known.includes(host_key));
    await record('host_key_learn', `${serverLabel(server)}: ${fingerprintsOf(learned)}`);
  }

  const registered: HostKeys = {
    async judge(hop, presented) {
      const server = await servers.byId(hop.server_id);
      if (!server) throw new Fault('server_not_found');
      if (server.updated_at !== hop.revision) throw changedFault(hop);
      const verdict = judge(hop, knownKeys(server), presented);
      records.set(hop, server);
      if (verdict === 'unverified') warnUnverified(hop);
      return verdict;
    },

    async pin(hop, presented) {
      const { server_id, hostname, port } = hop;
      const in_force = await servers.pinHostKey({ server_id, hostname, port, ...presented });
      if (in_force === null) throw changedFault(hop);
      judge(hop, [in_force], presented); // two first connections at once pin only one key
      await record(
        'host_key_pin',
        `${serverLabel({ id: server_id, name: hop.name })}: ${presented.fingerprint}`,
      );
    },

    secured(hop, { key_exchange, server_version }) {
      const server = records.get(hop);
      if (!server) return;
      if (server.key_exchange === key_exchange && server.server_version === server_version) return;
      background.run('note a connection', servers.noteConnection(server, { key_exchange, server_version }));
    },

    announced(hop, presented, keys) {
      if (!isKnownAlready(hop, presented, keys))
        background.run('follow host keys', follow(hop, presented, keys));
    },
  };
  const kept: HostKeys = {
    async judge(hop, presented) {
      const verdict = judge(hop, hop.known_host_keys, presented);
      if (verdict === 'pin') throw changedKey(hop, presented, undefined); // there is no record to pin it in
      return verdict;
    },
    pin: async () => undefined,
    secured: () => undefined,
    announced: () => undefined,
  };
  const quick = createQuickHostKeys({ ...deps, warnUnverified });
  const of = ({ quick_user_id, is_kept }: SshHop) => {
    if (is_kept) return kept;
    return quick_user_id === undefined ? registered : quick;
  };
  /** Whatever is pinned, and also while keys are not verified: somebody may have the private key. */
  async function assertNotRevoked(hop: SshHop, presented: PresentedHostKey): Promise<void> {
    const { hostname, port } = addressOf(hop);
    const is_revoked =
      (await revoked.isRevoked(hop, presented)) ||
      (hostname !== hop.hostname.toLowerCase() && (await revoked.isRevoked({ hostname, port }, presented)));
    if (is_revoked) throw revokedKey(hop, presented);
  }

  return {
    async judge(hop, presented) {
      await assertNotRevoked(hop, presented);
      return of(hop).judge(hop, presented);
    },
    async pin(hop, presented) {
      await assertNotRevoked(hop, presented); // it may have been revoked since
      return of(hop).pin(hop, presented);
    },
    secured: (hop, connection) => of(hop).secured(hop, connection),
    announced: (hop, presented, keys) => of(hop).announced(hop, presented, keys),
  };
}

/** The record has changed, so its pin may belong to another host. */
function changedFault({ name }: SshHop): Fault {
  const detail = `${name} was changed while it was being connected to`;
  return new Fault('server_changed', detail, { stage: 'host_key', hop: name });
}

/** The key that the host is trusted by. */
export function knownKeys({ host_key, announced_host_keys }: ServerRow): string[] {
  return host_key === null ? [] : [host_key, ...announced_host_keys.map((key) => key.host_key)];
}

/** True if the host announces the keys that the record had when it was dialled: nearly always. */
function isKnownAlready(
  { known_host_keys: known }: SshHop,
  presented: PresentedHostKey,
  keys: readonly PresentedHostKey[],
): boolean {
  const announced = new Set([presented, ...keys].map(({ host_key }) => host_key));
  return announced.size === known.length && known.every((host_key) => announced.has(host_key));
}

/** The record may point to another host by now. */
function isSameHost(server: ServerRow, { hostname, port }: SshHop): boolean {
  return server.hostname === hostname && server.port === port;
}

/**
 * The keys to trust from now on, if they have changed: the pinned key while the host still has it, otherwise the key just
 * used; and all other keys the host has proved to own.
 */
function rotated(server: ServerRow, presented: PresentedHostKey, keys: readonly PresentedHostKey[]) {
  const known = knownKeys(server);
  const isPresented = ({ host_key }: PresentedHostKey) => host_key === presented.host_key;
  if (!known.includes(presented.host_key) || !keys.some(isPresented)) return undefined;
  const pin = keys.find(({ host_key }) => host_key === server.host_key) ?? presented;
  const others = keys.filter(({ host_key }) => host_key !== pin.host_key);
  const wanted = new Set([pin, ...others].map(({ host_key }) => host_key));
  const is_same = pin.host_key === server.host_key && wanted.size === known.length;
  return is_same && known.every((host_key) => wanted.has(host_key)) ? undefined : { pin, others };
}

function describe(server: ServerRow, pin: PresentedHostKey, others: readonly PresentedHostKey[]): string {
  const moved = pin.host_key === server.host_key ? '' : `, instead of ${server.host_key_fingerprint}`;
  const accepted = fingerprintsOf(others) || 'none';
  return `${serverLabel(server)}: pinned ${pin.fingerprint}${moved}; also announced by the host: ${accepted}`;
}

function fingerprintsOf(keys: readonly PresentedHostKey[]): string {
  return keys.map(({ fingerprint }) => fingerprint).join(', ');
}
