import { Fault } from '../errors.ts';
import { MAX_HOPS } from '../limits.ts';
import type { Credential } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { SshHop, SshTarget } from '../ports/ssh.ts';
import type { Credentials } from './credentials.ts';
import type { SharedCredentials } from './shared-credentials.ts';
import { ownerOf, type TypedCredential } from './typed-credentials.ts';

/** Turns server rows into SSH targets, including jump hosts. */
export interface Connections {
  /** A server without stored credentials prompts the user. */
  targetOf(server: ServerRow): Promise<SshTarget>;
  /** For callers that cannot be prompted: uses credentials typed before, or throws `credentials_required`. */
  targetFor(credential: Credential, server: ServerRow): Promise<SshTarget>;
  /** Uses credentials just typed for one hop. */
  targetWith(credential: Credential, server: ServerRow, entered: Entered): Promise<SshTarget>;
  /** The hop that needs credentials next: the first one without any, otherwise the server if it prompts. */
  askingHop(credential: Credential, server: ServerRow): Promise<ServerRow | undefined>;
  /** Forgets typed credentials that a host has refused. */
  forgetTyped(credential: Credential, server: ServerRow, refusal: Fault): Promise<void>;
  /** All hops, with the server last. */
  wayTo(server: ServerRow): Promise<ServerRow[]>;
  /** One server without its jump hosts. */
  hopOf(server: ServerRow): Promise<SshHop>;
  /** Throws for a jump host that does not exist, is circular or makes the chain too deep. */
  assertJump(server_id: number | undefined, jump_via_id: number | null): Promise<void>;
  /** The number of jump hosts of a server that uses this one. */
  depthVia(jump_via_id: number): Promise<number>;
}

export interface Entered {
  readonly hop: ServerRow;
  readonly typed: TypedCredential;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly credentials: Credentials;
  readonly typed: Pick<SharedCredentials, 'of' | 'forget'>;
}

type TypedFor = (server: ServerRow) => Promise<TypedCredential | undefined>;

export function createConnections({ repositories, credentials, typed }: Deps): Connections {
  const { servers } = repositories;

  async function hopOf(server: ServerRow, typedFor: TypedFor = async () => undefined): Promise<SshHop> {
    const { id, name, hostname, port, username, algorithms, host_key, announced_host_keys } = server;
    const answered = server.auth_method === 'prompt' ? await typedFor(server) : undefined;
    const pinned = host_key === null ? [] : [host_key];
    return {
      server_id: id,
      name,
      hostname,
      port,
      username: answered?.username ?? username,
      algorithms,
      known_host_keys: [...pinned, ...announced_host_keys.map((key) => key.host_key)],
      revision: server.updated_at,
      auth: answered ? { method: 'password', password: answered.password } : await credentials.open(server),
    };
  }

  /** The jump hosts of a server, nearest first. */
  async function bastions(via: number | null, seen: ReadonlySet<number>): Promise<ServerRow[]> {
    if (via === null) return [];
    if (seen.has(via)) throw new Fault('jump_cycle');
    if (seen.size > MAX_HOPS) throw new Fault('jump_too_deep');
    const bastion = await servers.byId(via);
    if (!bastion) throw new Fault('jump_host_unknown');
    return [bastion, ...(await bastions(bastion.jump_via_id, new Set(seen).add(via)))];
  }

  /** All hops, with the server last. */
  async function wayTo(server: ServerRow): Promise<ServerRow[]> {
    return [server, ...(await bastions(server.jump_via_id, new Set([server.id])))].reverse();
  }

  async function chainTo(server: ServerRow, typedFor?: TypedFor): Promise<SshTarget> {
    const [first = server, ...rest] = await wayTo(server);
    const others = await Promise.all(rest.map((hop) => hopOf(hop, typedFor)));
    return { hops: [await hopOf(first, typedFor), ...others] };
  }

  async function ownedChain(credential: Credential, server: ServerRow, typedFor: TypedFor) {
    const { hops } = await chainTo(server, typedFor);
    const asking = hops.find(({ auth }) => auth.method === 'prompt');
    if (asking) throw credentialsRequired(asking);
    return { hops, owner: ownerOf(credential) };
  }

  return {
    targetOf: (server) => chainTo(server),

    async targetFor(credential, server) {
      const { hops } = await chainTo(server);
      if (hops.every(({ auth }) => auth.method !== 'prompt')) return { hops };
      return ownedChain(credential, server, (hop) => typed.of(credential, hop));
    },

    targetWith: (credential, server, { hop, typed: entered }) =>
      ownedChain(credential, server, async (asking) =>
        asking.id === hop.id ? entered : typed.of(credential, asking),
      ),

    async askingHop(credential, server) {
      const asking = (await wayTo(server)).filter(({ auth_method }) => auth_method === 'prompt');
      const are_typed = await Promise.all(asking.map((hop) => typed.of(credential, hop)));
      return asking.find((_hop, i) => !are_typed[i]) ?? asking.find(({ id }) => id === server.id);
    },

    async forgetTyped(credential, server, { options: { hop: name = server.name } }) {
      for (const hop of await wayTo(server)) if (hop.name === name) await typed.forget(credential, hop);
    },

    wayTo,
    hopOf: (server) => hopOf(server),

    async assertJump(server_id, jump_via_id) {
      await bastions(jump_via_id, new Set([server_id ?? 0])); // a new server has no id yet
    },

    depthVia: async (jump_via_id) => (await bastions(jump_via_id, new Set([0]))).length,
  };
}

function credentialsRequired({ name }: SshHop): Fault {
  const detail = `${name} stores no password: enter its username and password to connect`;
  return new Fault('credentials_required', detail, { stage: 'auth', hop: name });
}
