import {
  type CallerOptions,
  type CallerPorts,
  type CallerServices,
  createCallerFeature,
} from './accounts/create.ts';
import type { Keyring } from './crypto/keyring.ts';
import { createServerDirectory, type ServerDirectory } from './hosts/directory.ts';
import { createReach } from './hosts/reach.ts';
import type { ServerListOptions } from './hosts/server-list.ts';
import { createForwardedAddresses, type ForwardedAddresses } from './instances/forwarded-addresses.ts';
import { createServerStatuses, type ServerStatuses } from './monitor/statuses.ts';
import type { Repositories } from './ports/repositories.ts';

/** What needs only the database: all that an edge has. */
export interface EdgeServices extends CallerServices {
  readonly directory: ServerDirectory;
  readonly server_statuses: ServerStatuses;
  readonly addresses: ForwardedAddresses;
}

export type EdgePorts = CallerPorts & { readonly repositories: Repositories };

/** Holds nothing that belongs to one request, so one object may serve all requests of an edge. */
export function createEdgeServices(
  ports: EdgePorts,
  keyring: Keyring,
  { demo_mode }: CallerOptions,
): EdgeServices {
  return createEdgeFeature(ports, keyring, { demo_mode, audiences: [], shares_work: false }).services;
}

interface EdgeFeatureOptions extends ServerListOptions, CallerOptions {
  /** The names under which this instance is addressed. */
  readonly audiences: readonly string[];
}

export function createEdgeFeature(ports: EdgePorts, keyring: Keyring, options: EdgeFeatureOptions) {
  const { repositories, clock } = ports;
  const callers = createCallerFeature(ports, keyring, options);
  const reach = createReach(repositories);
  const services: EdgeServices = {
    ...callers.services,
    directory: createServerDirectory({ repositories, reach }, options),
    server_statuses: createServerStatuses({ repositories, reach }),
    addresses: createForwardedAddresses(keyring, clock, options.audiences),
  };
  return { services, reach, tokens: callers.tokens };
}
