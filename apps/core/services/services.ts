import { createKeyring, type Keyring } from '../crypto/keyring.ts';
import { createVault } from '../crypto/vault.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Files as FilesPort, PrivateKeys, Prober, Shells } from '../ports/ssh.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import { type Callers, createCallers } from './callers.ts';
import { createConnections } from './connections.ts';
import { createCredentials } from './credentials.ts';
import { createFiles, type Files } from './files.ts';
import { createForwardedAddresses, type ForwardedAddresses } from './forwarded-addresses.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createReach } from './reach.ts';
import { createServerChanges } from './server-changes.ts';
import { createServerDirectory, type ServerDirectory } from './server-directory.ts';
import { createServers, type Servers } from './servers.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createTerminalRights } from './terminal-rights.ts';
import { createTerminals, type Terminals } from './terminals.ts';
import { createTickets, type Tickets } from './tickets.ts';
import { createTokens } from './tokens.ts';
import { createWebSessions } from './web-sessions.ts';

/** What needs nothing but the database: an edge has these alone. */
export interface EdgeServices {
  readonly callers: Callers;
  readonly tickets: Tickets;
  readonly rate_limits: RateLimits;
  readonly directory: ServerDirectory;
  readonly addresses: ForwardedAddresses;
}

/** Everything a transport may ask for. */
export interface Services extends EdgeServices {
  readonly sign_in: SignIn;
  readonly servers: Servers;
  readonly terminals: Terminals;
  readonly files: Files;
}

export interface EdgePorts {
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly background: Background;
}

export interface Ports extends EdgePorts {
  readonly hasher: PasswordHasher;
  readonly shells: Shells;
  readonly files: FilesPort;
  readonly prober: Prober;
  readonly private_keys: PrivateKeys;
}

export interface ServiceOptions {
  readonly secret_key: string;
  readonly registry: SessionRegistry;
}

export async function createEdgeServices(ports: EdgePorts, secret_key: string): Promise<EdgeServices> {
  return edgeServices(ports, await createKeyring(secret_key));
}

function edgeServices(ports: EdgePorts, keyring: Keyring): EdgeServices {
  const callers = createCallers({ ...ports, tokens: createTokens(keyring, ports.clock) });
  return {
    callers,
    tickets: createTickets({ ...ports, callers }),
    rate_limits: createRateLimits(ports),
    directory: createServerDirectory({ ...ports, reach: createReach(ports.repositories) }),
    addresses: createForwardedAddresses(keyring, ports.clock),
  };
}

export async function createServices(
  ports: Ports,
  { secret_key, registry }: ServiceOptions,
): Promise<Services> {
  const keyring = await createKeyring(secret_key);
  const edge = edgeServices(ports, keyring);
  const credentials = createCredentials(createVault(keyring));
  const reach = createReach(ports.repositories);
  const connections = createConnections({ ...ports, credentials });
  const changes = createServerChanges({ ...ports, credentials });
  const rights = createTerminalRights({ registry, callers: edge.callers });
  const tokens = createTokens(keyring, ports.clock);
  const web_sessions = createWebSessions({ ...ports, tokens, terminals: registry });
  return {
    ...edge,
    sign_in: createSignIn({ ...ports, web_sessions }),
    servers: createServers({ ...ports, reach, connections, changes, rights, terminals: registry }),
    terminals: createTerminals({ ...ports, reach, connections, callers: edge.callers, registry }),
    files: createFiles({ ...ports, reach, connections }),
  };
}
