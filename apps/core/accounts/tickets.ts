import { Fault } from '../errors.ts';
import { digest, randomToken } from '../lib/bytes.ts';
import type { Caller } from '../model/caller.ts';
import { EmbedBounds } from '../model/embed.ts';
import { ZipInput } from '../model/file-change.ts';
import type { Ticket, TicketRow } from '../model/ticket.ts';
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
  readonly purpose: TicketRow['purpose'];
  /** Seconds. */
  readonly expires_in: number;
}

const FILE = { action: 'get_file_ticket', expires_in: FILE_LIFETIME_S } as const;

export function createTickets({ repositories, callers, clock }: Deps): Tickets {
  const { tickets } = repositories;

  async function issue(
    caller: Caller,
    { action, purpose, expires_in }: Issue,
    place?: Partial<FilePlace>,
  ): Promise<Ticket> {
    assertMay(caller, action);
    const ticket = randomToken();
    await tickets.insert({
      digest: await digest(ticket),
      purpose,
      credential: credentialOf(caller),
      server_id: place?.server_id ?? null,
      path: place?.path ?? null,
      expires_at: new Date(clock.now().getTime() + expires_in * 1000).toISOString(),
    });
    return { ticket, expires_in };
  }

  return {
    forSocket: (caller) => issue(caller, { action: 'get_socket_ticket', ...socketTicket(caller) }),
    forRelay: (caller) => issue(caller, { action: 'relay_socket', ...socketTicket(caller) }),
    forFile: (caller, place) => issue(caller, { ...FILE, purpose: 'file' }, place),
    forArchive: (caller, { server_id, ...input }) =>
      issue(caller, { ...FILE, purpose: 'archive' }, { server_id, path: JSON.stringify(input) }),

    forEmbed: (caller, { server_id, ...way }, expires_in) =>
      issue(
        caller,
        { action: 'get_embed_ticket', purpose: 'embed', expires_in },
        { server_id, path: JSON.stringify(way) },
      ),

    async redeemForEmbed(ticket, ip_address) {
      const row = await tickets.take(await digest(ticket), clock.now().toISOString());
      if (row?.purpose !== 'embed' || row.path === null) throw new Fault('invalid_ticket');
      const bounds = EmbedBounds.parse({ ...JSON.parse(row.path), server_id: row.server_id });
      return { minter: await callers.fromCredential(row.credential, ip_address), bounds };
    },

    forRecording: (caller, id) =>
      issue(
        caller,
        { action: 'get_recording_ticket', purpose: 'recording', expires_in: RECORDING_LIFETIME_S },
        { path: String(id) },
      ),

    async redeemForRecording(ticket, id, ip_address) {
      const row = await tickets.find(await digest(ticket), clock.now().toISOString());
      if (row?.purpose !== 'recording' || row.path !== String(id)) throw new Fault('invalid_ticket');
      return callers.fromCredential(row.credential, ip_address);
    },

    async redeemForSocket(ticket, ip_address) {
      const row = await tickets.take(await digest(ticket), clock.now().toISOString());
      const caller = row && (await callers.fromCredential(row.credential, ip_address));
      if (!caller || row.purpose !== socketPurpose(caller)) throw new Fault('invalid_ticket');
      return caller;
    },

    async redeemForFile(ticket, place, ip_address) {
      const row = await tickets.find(await digest(ticket), clock.now().toISOString());
      const opens = row?.purpose === 'file' && row.server_id === place.server_id && row.path === place.path;
      if (!opens) throw new Fault('invalid_ticket');
      return callers.fromCredential(row.credential, ip_address);
    },

    async redeemForArchive(ticket, { server_id, path }, ip_address) {
      const row = await tickets.find(await digest(ticket), clock.now().toISOString());
      if (row?.server_id !== server_id || row.path === null) throw new Fault('invalid_ticket');
      if (row.purpose === 'file' && row.path !== path) throw new Fault('invalid_ticket');
      if (row.purpose === 'archive' && path !== undefined) throw new Fault('invalid_ticket');
      const paths = row.purpose === 'archive' ? ZipInput.parse(JSON.parse(row.path)) : { paths: [row.path] };
      return { caller: await callers.fromCredential(row.credential, ip_address), paths };
    },
  };
}

function socketTicket(caller: Caller) {
  return { purpose: socketPurpose(caller), expires_in: SOCKET_LIFETIME_S };
}

function socketPurpose({ bounds }: Caller): 'socket' | 'embedded_socket' {
  return bounds ? 'embedded_socket' : 'socket';
}
