import { admissionBy } from '../admission.ts';
import { type GatewayClient, type Schemas, take } from '../client.ts';
import { eventsOf } from '../event-stream.ts';

export type ArchiveEntry = Schemas['ArchiveEntry'];
export type ExtractEvent = Schemas['ExtractEvent'];

export interface ExtractPlan {
  readonly server_id: number;
  readonly body: Schemas['ExtractInput'];
}

/** The progress of an extraction. Returning early or aborting cancels it. */
export async function* watchExtract(
  client: GatewayClient,
  { server_id, body }: ExtractPlan,
  signal?: AbortSignal,
): AsyncGenerator<ExtractEvent> {
  const answer = await client.http.POST('/api/files/{server_id}/extract', {
    params: { path: { server_id } },
    body,
    parseAs: 'stream',
    signal: signal ?? null,
  });
  yield* eventsOf<ExtractEvent>(answer, { signal });
}

export interface MemberPlace {
  readonly server_id: number;
  /** The archive. */
  readonly path: string;
  /** Spelled as in the list of members. */
  readonly member: string;
  /** The encoding that the list was requested with. */
  readonly encoding?: string | undefined;
}

/** A link to the content of a member; `inline` shows what the browser can display. */
export async function memberLink(
  client: GatewayClient,
  { server_id, path, member, encoding }: MemberPlace,
  { inline }: { readonly inline: boolean },
): Promise<string> {
  const params = { path: { server_id } };
  const ticket = take(client.http.POST('/api/files/{server_id}/ticket', { params, body: { path } }));
  const query = {
    path,
    member,
    ...(encoding === undefined ? {} : { encoding }),
    ...(inline ? { inline: '1' } : {}),
    ...(await admissionBy(client, ticket)),
  };
  return client.url(`/api/files/${server_id}/archive/member`, query).href;
}
