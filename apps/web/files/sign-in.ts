import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import type { Schemas } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import type { App } from '../app/context.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { FileListing } from './list/listing.ts';

export interface FileSignIn {
  /** The error naming the hop, the server or a jump host, that needs credentials. */
  readonly sign_in_due: Accessor<ClientError | undefined>;
  /** Signs in to the hop that asks. If another hop asks next, `sign_in_due` names it. */
  signIn(typed: Schemas['TypedCredentials']): Promise<void>;
}

export function createFileSignIn(
  { client }: App,
  tab: Pick<Tab, 'server_id'>,
  { error, pending, refresh }: Pick<FileListing, 'error' | 'pending' | 'refresh'>,
): FileSignIn {
  const [further, setFurther] = createSignal<ClientError>();
  createEffect(on(error, (refusal) => refusal !== null && setFurther(undefined))); // the newer error wins
  /** A reloading list has no error; keep the form and its input. */
  const of_listing = createMemo<ClientError | undefined>((before) => {
    const refusal = error();
    if (refusal === null && pending()) return before;
    return isSignInDue(refusal) ? refusal : undefined;
  });
  return {
    sign_in_due: () => of_listing() && (further() ?? of_listing()),
    async signIn(body) {
      const params = { path: { server_id: tab.server_id } };
      try {
        await client.http.POST('/api/files/{server_id}/connect', { params, body });
      } catch (refusal) {
        if (isSignInDue(refusal)) return void setFurther(refusal);
        await refresh(); // an earlier hop may have rejected its credentials and ask again
        throw refusal;
      }
      await refresh();
    },
  };
}

export function isSignInDue(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'credentials_required';
}
