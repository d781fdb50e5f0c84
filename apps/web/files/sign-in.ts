import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js';
import type { Schemas } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import type { App } from '../app-context.ts';
import type { Tab } from '../shell/tabs/tabs.ts';
import type { FileListing } from './list/listing.ts';

export interface FileSignIn {
  /** The refusal that names the hop, the server or a jump host before it, that stores no credential and was given none. */
  readonly sign_in_due: Accessor<ClientError | undefined>;
  /** For the hop that asks; when a further one does, `sign_in_due` names it. */
  signIn(typed: Schemas['TypedCredentials']): Promise<void>;
}

export function createFileSignIn(
  { client }: App,
  tab: Tab,
  { error, pending, refresh }: Pick<FileListing, 'error' | 'pending' | 'refresh'>,
): FileSignIn {
  const [further, setFurther] = createSignal<ClientError>();
  createEffect(on(error, (refusal) => refusal !== null && setFurther(undefined))); // the newer word
  /** While the list is asked for again it has no error; the form stays, with what is typed in it. */
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
        await refresh(); // a hop before may have refused what was typed for it, and asks again
        throw refusal;
      }
      await refresh();
    },
  };
}

export function isSignInDue(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'credentials_required';
}
