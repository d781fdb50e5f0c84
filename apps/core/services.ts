import { type Account, createAccount } from './accounts/account.ts';
import { type ApiKeys, createApiKeys } from './accounts/api-keys.ts';
import { type Callers, createCallers } from './accounts/callers.ts';
import { createLockouts } from './accounts/lockouts.ts';
import { createPasswordCheck, type DirectoryAccess } from './accounts/password-check.ts';
import { createRateLimits, type RateLimits } from './accounts/rate-limits.ts';
import { createSecondFactors } from './accounts/second-factors.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSignIn, type SignIn } from './accounts/sign-in.ts';
import { createSignInProofs } from './accounts/sign-in-proofs.ts';
import { createTickets, type Tickets } from './accounts/tickets.ts';
import { createTokens } from './accounts/tokens.ts';
import { createTwoFactor, type TwoFactor } from './accounts/two-factor.ts';
import { createUsers, type Users } from './accounts/users.ts';
import { createWebSessions, type WebSessions } from './accounts/web-sessions.ts';
import { type Audit, createAudit } from './audit/audit.ts';
import { type AuditTrail, createAuditTrail } from './audit/trail.ts';
import { type AuditChain, createAuditChain } from './audit/writer.ts';
import { createAuditSeal } from './crypto/audit-seal.ts';
import { createKeyring, type Keyring } from './crypto/keyring.ts';
import { createVault, type Vault } from './crypto/vault.ts';
import { seedDemo } from './demo/seed.ts';
import { createFileAccess } from './files/access.ts';
import { createFileChanges, type FileChanges } from './files/changes.ts';
import { createFileConnects, type FileConnects } from './files/connects.ts';
import { type Copies, createCopies } from './files/copies/copies.ts';
import { createDownloads, type Downloads } from './files/downloads.ts';
import { createHolds } from './files/holds.ts';
import { createFiles, type Files } from './files/listing.ts';
import { createReplacements } from './files/replacements.ts';
import { createSaves, type Saves } from './files/saves.ts';
import { createPartKeeper } from './files/uploads/part-keeper.ts';
import { createPartSweeps } from './files/uploads/part-sweeps.ts';
import { createResumableUploads, type ResumableUploads } from './files/uploads/resumable.ts';
import { createUploads, type Uploads } from './files/uploads/uploads.ts';
import { createServerChanges } from './hosts/changes.ts';
import { type ConnectionTests, createConnectionTests } from './hosts/connection-tests.ts';
import { type Connections, createConnections } from './hosts/connections.ts';
import { createCredentials } from './hosts/credentials.ts';
import { createServerDirectory, type ServerDirectory } from './hosts/directory.ts';
import { createHostKeyImports, type HostKeyImports } from './hosts/imports/host-keys.ts';
import { createServerTransfers, type ServerTransfers } from './hosts/imports/transfers.ts';
import { createReach, type Reach } from './hosts/reach.ts';
import { createServers, type Servers } from './hosts/servers.ts';
import { createTypedCredentials, type TypedCredentials } from './hosts/typed-credentials.ts';
import { createTypedWatch } from './hosts/typed-watch.ts';
import { createForwardedAddresses, type ForwardedAddresses } from './instances/forwarded-addresses.ts';
import { createInstances, type Instances } from './instances/instances.ts';
import { createInstanceProofs, type InstanceProofs } from './instances/proofs.ts';
import { type Bell, createBell } from './lib/bell.ts';
import { randomToken } from './lib/bytes.ts';
import type { After } from './lib/timers.ts';
import { DEMO_CREDENTIALS } from './model/demo.ts';
import { createServerEvents, type ServerEvents } from './monitor/events.ts';
import { createMonitor, type Monitor, type MonitorOptions } from './monitor/monitor.ts';
import { createServerStatuses, type ServerStatuses } from './monitor/statuses.ts';
import { createSweeps } from './monitor/sweeps.ts';
import {
  type OperationOptions,
  type OperationPorts,
  type OperationServices,
  operationServices,
} from './operations/operations.ts';
import { createResealing, type Resealing } from './operations/resealing.ts';
import type { Casts } from './ports/casts.ts';
import type { Files as FilesPort } from './ports/files.ts';
import type { PasswordHasher } from './ports/identity.ts';
import type { Repositories } from './ports/repositories.ts';
import type { Background, Clock, Log } from './ports/runtime.ts';
import type { Screens } from './ports/screens.ts';
import type { PrivateKeys, Prober, Shells } from './ports/ssh.ts';
import type { Tracer } from './ports/tracing.ts';
import { createRecorder } from './recordings/recorder.ts';
import { createRecordings, type Recordings } from './recordings/recordings.ts';
import { createSettings, type Settings } from './settings/settings.ts';
import { createSettingsWatch } from './settings/watch.ts';
import { createSnippets, type Snippets } from './snippets/snippets.ts';
import { type Attendances, createAttendances } from './terminals/attendances.ts';
import { createSessionHomes, type SessionHomes } from './terminals/homes.ts';
import { createSessionLedger } from './terminals/ledger.ts';
import type { SessionRegistry } from './terminals/live/registry.ts';
import { createLiveTerminals, type LiveTerminals } from './terminals/live-terminals.ts';
import { createTerminalOpenings } from './terminals/opening.ts';
import { createQuickConnects, type QuickConnects, type QuickOptions } from './terminals/quick-connects.ts';
import { createQuickPins, type QuickPins } from './terminals/quick-host-keys.ts';
import { createTerminalRights, type TerminalRights } from './terminals/rights.ts';
import { createShareBook } from './terminals/share-book.ts';
import { createShares, type Shares } from './terminals/shares.ts';
import { createTerminals, type Terminals } from './terminals/terminals.ts';

/** What needs nothing but the database: an edge has these alone. */
export interface EdgeServices {
  readonly callers: Callers;
  readonly tickets: Tickets;
  readonly rate_limits: RateLimits;
  readonly directory: ServerDirectory;
  readonly server_statuses: ServerStatuses;
  readonly addresses: ForwardedAddresses;
}

interface AccountServices {
  readonly sign_in: SignIn;
  readonly account: Account;
  readonly two_factor: TwoFactor;
  readonly sessions: Sessions;
  readonly api_keys: ApiKeys;
  readonly users: Users;
  readonly audit: Audit;
}

interface TerminalServices {
  readonly terminals: Terminals;
  readonly quick_connects: QuickConnects;
  readonly quick_pins: QuickPins;
  readonly attendances: Attendances;
  readonly session_homes: SessionHomes;
  readonly live_terminals: LiveTerminals;
  readonly shares: Shares;
  /** Warns where terminals cannot be recorded. */
  probeRecordings(): Promise<void>;
  /** This process among those that share the database. */
  readonly instances: Instances;
}

interface HostServices extends TerminalServices {
  readonly servers: Servers;
  readonly connection_tests: ConnectionTests;
  readonly server_transfers: ServerTransfers;
  readonly host_key_imports: HostKeyImports;
  readonly server_events: ServerEvents;
  readonly monitor: Monitor;
  readonly recordings: Recordings;
  readonly snippets: Snippets;
  readonly files: Files;
  readonly downloads: Downloads;
  readonly file_changes: FileChanges;
  readonly saves: Saves;
  readonly copies: Copies;
  readonly uploads: Uploads;
  readonly resumable_uploads: ResumableUploads;
  /** Removes what unfinished uploads have left on hosts and nobody goes on with. */
  readonly sweepParts: () => Promise<void>;
  readonly file_connects: FileConnects;
}

/** Everything a transport may ask for. */
export interface Services extends EdgeServices, AccountServices, HostServices, OperationServices {
  readonly settings: Settings;
  /** Makes the demonstration's user and servers, where they are missing. */
  seedDemo(): Promise<void>;
  /** From the previous key to the present one. */
  readonly resealing: Resealing;
  /** The first entry of this run in the audit log. */
  recordStart(version: string): Promise<void>;
  /** Audit entries that could not be stored when it was their turn. */
  readonly owed_audit: Pick<AuditChain, 'settle' | 'close'>;
  /** By which keys a host is trusted from now on. */
  recordHostKey(action: 'host_key_pin' | 'host_key_rotate' | 'quick_key_pin', detail: string): Promise<void>;
  /** Holds open terminals to what other instances change; the returned function stops it. */
  watchTerminals(after: After): () => void;
  /** Takes up settings and branding that other instances have changed; the returned function stops it. */
  watchSettings(after: After): () => void;
  /** Forgets what people typed once they are signed out; the returned function stops it. */
  watchTyped(after: After): () => void;
}

export interface EdgePorts {
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly background: Background;
}

export interface Ports extends EdgePorts, OperationPorts {
  readonly log: Log;
  readonly tracer?: Tracer | undefined;
  readonly hasher: PasswordHasher;
  readonly directory_access: DirectoryAccess | undefined;
  readonly shells: Shells;
  readonly files: FilesPort;
  readonly prober: Prober;
  readonly private_keys: PrivateKeys;
  readonly casts: Casts;
  readonly screens: Screens;
}

export interface ServiceOptions extends OperationOptions {
  readonly secret_key: string;
  /** Opens what was sealed before the key was changed. */
  readonly secret_key_previous: string | undefined;
  readonly instance_id: string;
  /** Host name. */
  readonly machine: string;
  readonly demo_mode: boolean;
  readonly registry: SessionRegistry;
  readonly monitor: MonitorOptions;
  /** `SERVICE_ALLOWED_TARGETS`; undefined: everywhere. */
  readonly isAllowedAddress: QuickOptions['isAllowedAddress'];
}

export async function createEdgeServices(ports: EdgePorts, secret_key: string): Promise<EdgeServices> {
  return edgeServices(ports, await createKeyring(secret_key));
}

function edgeServices(ports: EdgePorts, keyring: Keyring): EdgeServices {
  const callers = createCallers({ ...ports, tokens: createTokens(keyring, ports.clock) });
  const reach = createReach(ports.repositories);
  return {
    callers,
    tickets: createTickets({ ...ports, callers }),
    rate_limits: createRateLimits(ports),
    directory: createServerDirectory({ ...ports, reach }),
    server_statuses: createServerStatuses({ ...ports, reach }),
    addresses: createForwardedAddresses(keyring, ports.clock),
  };
}

/** The gateway itself did it. */
const NOBODY = { user_id: null, username: '', ip_address: '' };

/** What several services share. */
export interface Common extends Ports {
  readonly vault: Vault;
  readonly settings: Settings;
  /** Rings when webhooks may have something to deliver. */
  readonly bell: Bell;
  readonly terminals: SessionRegistry;
  readonly rights: TerminalRights;
  readonly web_sessions: WebSessions;
  readonly trail: AuditTrail;
  readonly demo_mode: boolean;
  readonly instance_id: string;
  readonly proofs: InstanceProofs;
}

export async function createServices(ports: Ports, options: ServiceOptions): Promise<Services> {
  const { secret_key, instance_id, demo_mode, registry } = options;
  const keyring = await createKeyring(secret_key);
  const previous = options.secret_key_previous ? await createKeyring(options.secret_key_previous) : undefined;
  const edge = edgeServices(ports, keyring);
  const seal = createAuditSeal(keyring, previous);
  const bell = createBell();
  const chain = createAuditChain({ ...ports, seal, instance_id, bell });
  const rights = createTerminalRights({ ...ports, registry });
  const tokens = createTokens(keyring, ports.clock);
  const trail = createAuditTrail({ ...ports, chain });
  const settings = createSettings({ ...ports, trail }, options);
  const common: Common = {
    ...ports,
    settings,
    bell,
    vault: createVault(keyring, previous),
    terminals: registry,
    rights,
    web_sessions: createWebSessions({ ...ports, tokens, terminals: registry }),
    trail,
    demo_mode,
    instance_id,
    proofs: createInstanceProofs(keyring),
  };
  const operations = operationServices({ ...common, seal }, options);
  const typed = createTypedCredentials(ports.clock);
  const changes = createServerChanges({ ...ports, credentials: createCredentials(common.vault) });
  return {
    ...edge,
    ...accountServices(common, edge.callers),
    ...operations,
    settings,
    audit: createAudit({ ...common, callers: edge.callers, seal, chain }),
    ...hostServices(common, edge, { ...options, typed }),
    resealing: createResealing({ ...common, seal }),
    watchSettings: createSettingsWatch({ ...common, branding: operations.branding }),
    watchTyped: createTypedWatch({ ...common, typed }),
    seedDemo: () => seedDemo({ ...ports, changes }),
    owed_audit: chain,
    recordStart: (version) =>
      common.trail.record(NOBODY, 'gateway_start', `version ${version}, instance ${instance_id}`),
    recordHostKey: (action, detail) => common.trail.record(NOBODY, action, detail),
    watchTerminals: (after) => rights.watch(after, ports.background),
  };
}

function accountServices(common: Common, callers: Callers): Omit<AccountServices, 'audit'> {
  const never_locked = common.demo_mode ? DEMO_CREDENTIALS.username : undefined;
  const lockouts = createLockouts({ ...common, never_locked });
  const factors = createSecondFactors(common);
  const passwords = createPasswordCheck(common);
  return {
    sign_in: createSignIn({
      ...common,
      proofs: createSignInProofs({ ...common, passwords, factors, lockouts }),
    }),
    account: createAccount({ ...common, passwords }),
    two_factor: createTwoFactor({ ...common, factors, lockouts }),
    sessions: createSessions(common),
    api_keys: createApiKeys(common),
    users: createUsers({ ...common, callers, lockouts }),
  };
}

interface HostOptions extends Pick<ServiceOptions, 'monitor' | 'isAllowedAddress' | 'machine'> {
  readonly typed: TypedCredentials;
}

function hostServices(common: Common, edge: EdgeServices, options: HostOptions): HostServices {
  const { callers, tickets } = edge;
  const { monitor, typed } = options;
  const credentials = createCredentials(common.vault);
  const reach = createReach(common.repositories);
  const connections = createConnections({ ...common, credentials, typed });
  const changes = createServerChanges({ ...common, credentials });
  return {
    servers: createServers({ ...common, connections, changes }),
    connection_tests: createConnectionTests({ ...common, reach, connections, callers }),
    server_transfers: createServerTransfers({ ...common, connections, changes }),
    host_key_imports: createHostKeyImports(common),
    server_events: createServerEvents(common),
    monitor: createMonitor({ ...common, sweeps: createSweeps({ ...common, connections }) }, monitor),
    ...terminalServices(common, { reach, connections, callers }, options),
    recordings: createRecordings({ ...common, tickets }),
    snippets: createSnippets(common),
    ...fileServices(common, { reach, connections }),
    file_connects: createFileConnects({ ...common, reach, connections, typed }),
  };
}

interface Ways {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly callers: Callers;
}

function terminalServices(
  common: Common,
  ways: Ways,
  { isAllowedAddress, machine }: HostOptions,
): TerminalServices {
  const { demo_mode, settings } = common;
  const run_id = randomToken(16);
  const deps = { ...common, ...ways, registry: common.terminals, run_id };
  const ledger = createSessionLedger(deps);
  const recorder = createRecorder(deps);
  settings.onChange(() => {
    for (const session of deps.registry.sessions()) session.followLimits();
  });
  const book = createShareBook(deps);
  const openings = createTerminalOpenings({ ...deps, ledger, recorder, shares: book });
  const options = { isAllowedAddress, demo_mode };
  const quick_connects = createQuickConnects({ ...deps, openings, options });
  async function afterBeat(): Promise<void> {
    await ledger.refresh();
    await recorder.recover();
  }
  return {
    terminals: createTerminals({ ...deps, openings }),
    quick_connects,
    quick_pins: createQuickPins(common),
    attendances: createAttendances({ ...deps, book, quick_connects }),
    session_homes: createSessionHomes({ ...deps, shares: book }),
    live_terminals: createLiveTerminals({ ...deps, ledger }),
    shares: createShares({ ...deps, book, ledger }),
    probeRecordings: () => recorder.probe(),
    instances: createInstances({ ...deps, machine, afterBeat }),
  };
}

type FileServices = Pick<
  HostServices,
  'files' | 'downloads' | 'file_changes' | 'saves' | 'copies' | 'uploads' | 'resumable_uploads' | 'sweepParts'
>;

function fileServices(common: Common, ways: { reach: Reach; connections: Connections }): FileServices {
  const sweeps = createPartSweeps({ ...common, ...ways });
  const keeper = createPartKeeper({ ...common, left: sweeps.left });
  const { opened } = sweeps;
  const access = createFileAccess({ ...common, ...ways, transfers: common.terminals, opened });
  const holds = createHolds(common);
  const replacements = createReplacements(keeper);
  return {
    sweepParts: sweeps.sweep,
    files: createFiles({ access }),
    downloads: createDownloads({ ...common, access, transfers: common.terminals }),
    file_changes: createFileChanges({ ...common, access }),
    saves: createSaves({ ...common, access, replacements, holds }),
    copies: createCopies({ ...common, access, replacements }),
    uploads: createUploads({ ...common, access, replacements }),
    resumable_uploads: createResumableUploads({ ...common, access, keeper, holds }),
  };
}
