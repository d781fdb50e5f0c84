import { Fault } from '../errors.ts';
import { digest, randomToken } from '../lib/bytes/bytes.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Ticket, TicketPayload, TicketRow } from '../model/accounts/ticket.ts';
import { type EmbedBounds, toBounds } from '../model/embed.ts';
import type { ZipInput } from '../model/files/file-change.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import type { Action } from '../policy/actions.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Callers } from './callers.ts';

const SOCKET_LIFETIME_S = 30;
const FILE_LIFETIME_S = 600;
const RECORDING_LIFETIME_S = 60;

/** For one archive of several paths. */
export interface ArchivePlace {
  readonly server_id: number;
  readonly paths: readonly string[];
  readonly base_path?: string | undefined;
}

export interface FilePlace {
  readonly server_id: number;
  readonly path: string;
}

/** Short-lived replacements for a token where a browser cannot send a header. */
export interface Tickets {
  forSocket(caller: Caller): Promise<Ticket>;
  /** For the socket of a caller that this instance passes on to another one. */
  forRelay(caller: Caller): Promise<Ticket>;
  /** Does not check access to the path: redeeming the ticket does, as for a token. */
  forFile(caller: Caller, place: FilePlace): Promise<Ticket>;
  forArchive(caller: Caller, place: ArchivePlace): Promise<Ticket>;
  /** For an embedded session; does not check access to the server: redeeming the ticket does. */
  forEmbed(caller: Caller, bounds: EmbedBounds, expires_in: number): Promise<Ticket>;
  /** Does not check access to the recording either. */
  forRecording(caller: Caller, id: number): Promise<Ticket>;
  /** Single use. Returns who minted it. */
  redeemForEmbed(ticket: string, ip_address: string): Promise<{ minter: Caller; bounds: EmbedBounds }>;
  /** Single use. */
  redeemForSocket(ticket: string, ip_address: string): Promise<Caller>;
  /** Reusable until it expires: players and resumed downloads send range requests. */
  redeemForFile(ticket: string, place: FilePlace, ip_address: string): Promise<Caller>;
  /** Reusable until it expires. */
  redeemForRecording(ticket: string, id: number, ip_address: string): Promise<Caller>;
  /** Redeems a ticket of `forArchive`, or of `forFile` when a path is given. */
  redeemForArchive(
    ticket: string,
    asked: { server_id: number; path: string | undefined },
    ip_address: string,
  ): Promise<{ caller: Caller; paths: ZipInput }>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'tickets'>;
  readonly callers: Callers;
  readonly clock: Clock;
}

interface Issue {
  readonly action: Action;
  /** Seconds. */
  readonly expires_in: number;
}

const FILE: Issue = { action: 'get_file_ticket', expires_in: FILE_LIFETIME_S };

export function createTickets(deps: Deps): Tickets {
  return { ...createIssuing(deps), ...createRedeeming(deps) };
}

type Issuing = Pick<
  Tickets,
  'forSocket' | 'forRelay' | 'forFile' | 'forArchive' | 'forEmbed' | 'forRecording'
>;
type Redeeming = Omit<Tickets, keyof Issuing>;

function createIssuing({ repositories: { tickets }, clock }: Deps): Issuing {
  async function issue(
    caller: Caller,
    { action, expires_in }: Issue,
    payload: TicketPayload,
  ): Promise<Ticket> {
    assertMay(caller, action);
    const ticket = randomToken();
    await tickets.insert({
      digest: await digest(ticket),
      credential: credentialOf(caller),
      payload,
      expires_at: new Date(clock.now().getTime() + expires_in * 1000).toISOString(),
    });
    return { ticket, expires_in };
  }

  const forSocket = (caller: Caller, action: Action) =>
    issue(caller, { action, expires_in: SOCKET_LIFETIME_S }, { purpose: socketPurpose(caller) });
  return {
    forSocket: (caller) => forSocket(caller, 'get_socket_ticket'),
    forRelay: (caller) => forSocket(caller, 'relay_socket'),
    forFile: (caller, { server_id, path }) => issue(caller, FILE, { purpose: 'file', server_id, path }),
    forArchive: (caller, { server_id, paths, base_path }) =>
      issue(caller, FILE, { purpose: 'archive', server_id, paths: [...paths], base_path }),
    forEmbed: (caller, bounds, expires_in) =>
      issue(caller, { action: 'get_embed_ticket', expires_in }, { purpose: 'embed', ...toBounds(bounds) }),
    forRecording: (caller, recording_id) =>
      issue(
        caller,
        { action: 'get_recording_ticket', expires_in: RECORDING_LIFETIME_S },
        { purpose: 'recording', recording_id },
      ),
  };
}

function createRedeeming({ repositories: { tickets }, callers, clock }: Deps): Redeeming {
  /** A ticket that stays valid. */
  const find = async (ticket: string) => tickets.find(await digest(ticket), clock.now().toISOString());
  /** A ticket that is used up. */
  const take = async (ticket: string) => tickets.take(await digest(ticket), clock.now().toISOString());

  return {
    async redeemForEmbed(ticket, ip_address) {
      const { payload, credential } = existing(await take(ticket));
      if (payload.purpose !== 'embed') throw new Fault('invalid_ticket');
      return { minter: await callers.fromCredential(credential, ip_address), bounds: toBounds(payload) };
    },

    async redeemForRecording(ticket, id, ip_address) {
      const { payload, credential } = existing(await find(ticket));
      const opens = payload.purpose === 'recording' && payload.recording_id === id;
      if (!opens) throw new Fault('invalid_ticket');
      return callers.fromCredential(credential, ip_address);
    },

    async redeemForSocket(ticket, ip_address) {
      const { payload, credential } = existing(await take(ticket));
      const caller = await callers.fromCredential(credential, ip_address);
      if (payload.purpose !== socketPurpose(caller)) throw new Fault('invalid_ticket');
      return caller;
    },

    async redeemForFile(ticket, { server_id, path }, ip_address) {
      const { payload, credential } = existing(await find(ticket));
      const opens = payload.purpose === 'file' && payload.server_id === server_id && payload.path === path;
      if (!opens) throw new Fault('invalid_ticket');
      return callers.fromCredential(credential, ip_address);
    },

    async redeemForArchive(ticket, asked, ip_address) {
      const { payload, credential } = existing(await find(ticket));
      const paths = archivedBy(payload, asked);
      if (!paths) throw new Fault('invalid_ticket');
      return { caller: await callers.fromCredential(credential, ip_address), paths };
    },
  };
}

function existing(row: TicketRow | undefined): TicketRow {
  if (!row) throw new Fault('invalid_ticket');
  return row;
}

/** The paths of an archive ticket, or of a file ticket for exactly this path. */
function archivedBy(
  payload: TicketPayload,
  asked: { readonly server_id: number; readonly path: string | undefined },
): ZipInput | undefined {
  switch (payload.purpose) {
    case 'archive': {
      const { server_id, paths, base_path } = payload;
      return server_id === asked.server_id && asked.path === undefined ? { paths, base_path } : undefined;
    }
    case 'file': {
      const { server_id, path } = payload;
      return server_id === asked.server_id && path === asked.path ? { paths: [path] } : undefined;
    }
    case 'socket':
    case 'embedded_socket':
    case 'recording':
    case 'embed':
      return undefined;
  }
}

function socketPurpose({ bounds }: Caller): 'socket' | 'embedded_socket' {
  return bounds ? 'embedded_socket' : 'socket';
}
