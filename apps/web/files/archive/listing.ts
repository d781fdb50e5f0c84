import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createSignal } from 'solid-js';
import { type Schemas, take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { nameOf } from '../../lib/paths.ts';

type Listing = Schemas['ArchiveListing'];

const BYTES = 'bytes:'; // how the gateway spells a name that it cannot decode
const SHOWN_NAMES = 3;

export interface ArchivePlace {
  readonly server_id: number;
  /** The archive. */
  readonly path: string;
}

/** The members of an archive, with its names in the chosen encoding. */
export function createArchiveListing(place: Accessor<ArchivePlace>, given?: string) {
  const { client } = useApp();
  const [encoding, setEncoding] = createSignal(given);
  const [guess, setGuess] = createSignal<string>();
  const [is_offered, setOffered] = createSignal(false);
  const query = useQuery(() => ({
    queryKey: ['archive', place().server_id, place().path, encoding()],
    queryFn: async ({ signal }) => {
      const { server_id, path } = place();
      const chosen = encoding();
      const named = chosen === undefined ? {} : { encoding: chosen };
      const params = { path: { server_id }, query: { path, ...named } };
      const listing = await take(client.http.GET('/api/files/{server_id}/archive', { params, signal }));
      if (chosen === undefined) setGuess(listing.encoding);
      if (isUnmarked(listing)) setOffered(true);
      return listing;
    },
    retry: false,
    staleTime: 0,
  }));
  return { query, encoding, setEncoding, guess, is_offered };
}

export type ArchiveNames = Omit<ReturnType<typeof createArchiveListing>, 'query'>;

/** Whether names of members depend on the encoding. */
export function isUnmarked({ encoding, entries }: Pick<Listing, 'encoding' | 'entries'>): boolean {
  return encoding !== undefined || entries.some(({ name }) => name.startsWith(BYTES));
}

/** A few names by which people see whether the encoding is right. */
export function tellingNames({ entries }: Pick<Listing, 'entries'>): string[] {
  const foreign = entries.filter(({ name }) => name.startsWith(BYTES) || /[^\p{ASCII}]/u.test(name));
  return foreign.slice(0, SHOWN_NAMES).map(({ name }) => nameOf(name));
}
