import { Fault } from '../errors.ts';
import { digest, randomToken } from '../lib/bytes.ts';
import type { Caller } from '../model/caller.ts';
import type { Ticket } from '../model/ticket.ts';
import { credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Callers } from './callers.ts';

const SOCKET_LIFETIME_S = 30;
const FILE_LIFETIME_S = 600;

export interface FilePlace {
  readonly server_id: number;
  readonly path: string;
}

/** Stand-ins for a token where a browser can send no header. */
export interface Tickets {
  forSocket(caller: Caller): Promise<Ticket>;
  /** Does not judge the place: who presents the ticket is judged as if they sent their token. */
  forFile(caller: Caller, place: FilePlace): Promise<Ticket>;
  /** Single use. */
  redeemForSocket(ticket: string, ip_address: string): Promise<Caller>;
  /** May be used again until it expires: players and resumed downloads ask in ranges. */
  redeemForFile(ticket: string, place: FilePlace, ip_address: string): Promise<Caller>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'tickets'>;
  readonly callers: Callers;
  readonly clock: Clock;
}

export function createTickets({ repositories, callers, clock }: Deps): Tickets {
  const { tickets } = repositories;

  async function issue(caller: Caller, expires_in: number, place?: FilePlace): Promise<Ticket> {
    const ticket = randomToken();
    await tickets.insert({
      digest: await digest(ticket),
      purpose: place ? 'file' : 'socket',
      credential: credentialOf(caller),
      server_id: place?.server_id ?? null,
      path: place?.path ?? null,
      expires_at: new Date(clock.now().getTime() + expires_in * 1000).toISOString(),
    });
    return { ticket, expires_in };
  }

  return {
    forSocket: (caller) => issue(caller, SOCKET_LIFETIME_S),
    forFile: (caller, place) => issue(caller, FILE_LIFETIME_S, place),

    async redeemForSocket(ticket, ip_address) {
      const row = await tickets.take(await digest(ticket), clock.now().toISOString());
      if (row?.purpose !== 'socket') throw new Fault('invalid_ticket');
      return callers.fromCredential(row.credential, ip_address);
    },

    async redeemForFile(ticket, place, ip_address) {
      const row = await tickets.find(await digest(ticket), clock.now().toISOString());
      const opens = row?.purpose === 'file' && row.server_id === place.server_id && row.path === place.path;
      if (!opens) throw new Fault('invalid_ticket');
      return callers.fromCredential(row.credential, ip_address);
    },
  };
}
