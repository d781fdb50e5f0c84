import { createKeyring } from '../crypto/keyring.ts';
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
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createReach } from './reach.ts';
import { createServerChanges } from './server-changes.ts';
import { createServers, type Servers } from './servers.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createTerminals, type Terminals } from './terminals.ts';
import { createTickets, type Tickets } from './tickets.ts';
import { createTokens } from './tokens.ts';
import { createWebSessions } from './web-sessions.ts';

/** Everything a transport may ask for. */
export interface Services {
  readonly callers: Callers;
  readonly sign_in: SignIn;
  readonly tickets: Tickets;
  readonly rate_limits: RateLimits;
  readonly servers: Servers;
  readonly terminals: Terminals;
  readonly files: Files;
}

export interface Ports {
  readonly repositories: Repositories;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly background: Background;
  readonly shells: Shells;
  readonly files: FilesPort;
  readonly prober: Prober;
  readonly private_keys: PrivateKeys;
}

export interface ServiceOptions {
  readonly secret_key: string;
  readonly registry: SessionRegistry;
}

export async function createServices(
  ports: Ports,
  { secret_key, registry }: ServiceOptions,
): Promise<Services> {
  const keyring = await createKeyring(secret_key);
  const tokens = createTokens(keyring, ports.clock);
  const callers = createCallers({ ...ports, tokens });
  const credentials = createCredentials(createVault(keyring));
  const reach = createReach(ports.repositories);
  const connections = createConnections({ ...ports, credentials });
  const changes = createServerChanges({ ...ports, credentials });
  const web_sessions = createWebSessions({ ...ports, tokens, terminals: registry });
  return {
    callers,
    sign_in: createSignIn({ ...ports, web_sessions }),
    tickets: createTickets({ ...ports, callers }),
    rate_limits: createRateLimits(ports),
    servers: createServers({ ...ports, reach, connections, changes, terminals: registry }),
    terminals: createTerminals({ ...ports, reach, connections, callers, registry }),
    files: createFiles({ ...ports, reach, connections }),
  };
}
