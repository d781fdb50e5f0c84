import { createContext, createSignal, useContext } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { createPlace } from '../../lib/storage.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';

export type Share = Schemas['Share'];
export type ShareMode = Share['mode'];
export type ShareInput = Schemas['ShareInput'];

export const SHARE_MODES = ['ro', 'rw'] as const satisfies readonly ShareMode[];
export const SHARE_EXPIRIES = ['never', '15_minutes', '1_hour', '8_hours', 'custom'] as const;
export type ShareExpiry = (typeof SHARE_EXPIRIES)[number];
export const MAX_SHARE_MINUTES = 525_600;

const MINUTES: Readonly<Partial<Record<ShareExpiry, number>>> = {
  '15_minutes': 15,
  '1_hour': 60,
  '8_hours': 480,
};

export interface ShareTerms {
  readonly mode: ShareMode;
  readonly expiry: ShareExpiry;
  /** The text typed for `custom`. */
  readonly minutes: string;
}

export const FIRST_TERMS: ShareTerms = { mode: 'ro', expiry: '1_hour', minutes: '30' };

/** A share as this page knows it: the gateway returns it only to the one who creates it. */
export interface KnownShare {
  readonly share: Share;
  readonly terms: ShareTerms;
}

export interface Shares {
  /** Undefined if there is none or it has expired. */
  of(session_id: string | undefined, now: Date): KnownShare | undefined;
  keep(session_id: string, known: KnownShare): void;
  forget(session_id: string): void;
}

/** The shares created in this browser tab. They survive a reload because their sessions do. */
export function createShares(): Shares {
  const place = createPlace('session', 'shares');
  const [known, setKnown] = createSignal(readShares(place.read()));
  const update = (next: ReadonlyMap<string, KnownShare>) => {
    setKnown(next);
    place.write([...next]);
  };
  return {
    of(session_id, now) {
      const found = session_id === undefined ? undefined : known().get(session_id);
      return found && !isOver(found.share, now) ? found : undefined;
    },
    keep: (session_id, share) => update(new Map([...known(), [session_id, share]])),
    forget: (session_id) => update(new Map([...known()].filter(([id]) => id !== session_id))),
  };
}

const Context = createContext<Shares>();
export const SharesProvider = Context.Provider;

export function useShares(): Shares {
  const shares = useContext(Context);
  if (!shares) throw new Error('Outside the workspace');
  return shares;
}

/** Only the owner can share a session, once it is open. */
export function canShare(handle: TerminalHandle): boolean {
  return handle.role() === 'owner' && handle.session_id() !== undefined;
}

export function isOver({ expires_at }: Pick<Share, 'expires_at'>, now: Date): boolean {
  return expires_at !== null && new Date(expires_at) <= now;
}

/** Seconds from now; null for no expiry, undefined if the typed minutes are not a valid number. */
export function expirySeconds({ expiry, minutes }: ShareTerms): number | null | undefined {
  if (expiry === 'never') return null;
  const wanted = MINUTES[expiry] ?? Number(minutes);
  const is_possible = Number.isInteger(wanted) && wanted >= 1 && wanted <= MAX_SHARE_MINUTES;
  return is_possible ? wanted * 60 : undefined;
}

/** Changing only the mode keeps the expiry of the share. */
export function shareInput(terms: ShareTerms, before: KnownShare | undefined, now: Date) {
  const { mode } = terms;
  const is_same_end = before?.terms.expiry === terms.expiry && before.terms.minutes === terms.minutes;
  const expires_at = is_same_end ? before.share.expires_at : null;
  const left = expires_at === null ? expirySeconds(terms) : secondsUntil(expires_at, now);
  if (left === undefined) return undefined;
  return left === null ? { mode } : { mode, expires_in: left };
}

function secondsUntil(instant: string, now: Date): number {
  return Math.max(1, Math.round((new Date(instant).getTime() - now.getTime()) / 1000));
}

export function openShare(client: GatewayClient, session_id: string, body: ShareInput): Promise<Share> {
  const params = { path: { session_id } };
  return take(client.http.POST('/api/terminal/share/{session_id}', { params, body }));
}

export async function endShare(client: GatewayClient, session_id: string): Promise<void> {
  await client.http.DELETE('/api/terminal/share/{session_id}', { params: { path: { session_id } } });
}

/** Links to the gateway's page under any path prefix. */
export function linkOf(client: GatewayClient, { token }: Pick<Share, 'token'>): string {
  return client.url('/', { join: token }).href;
}

function readShares(kept: unknown): ReadonlyMap<string, KnownShare> {
  return new Map(Array.isArray(kept) ? kept.filter(isKept) : []);
}

/** Trusted: only this page writes to this key. */
function isKept(value: unknown): value is [string, KnownShare] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1]?.share?.token === 'string';
}
