import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { fileLink } from '#client/transfers/links.ts';

/** A file on a server. */
export interface FilePlace {
  readonly server_id: number;
  readonly path: string;
}

export interface InlineLink {
  /** Undefined until the gateway has issued the ticket. */
  readonly href: Accessor<string | undefined>;
  readonly error: Accessor<unknown>;
  fail(error: unknown): void;
  /** Gets a new ticket: one lasts ten minutes, and a video may be longer. */
  renew(): Promise<void>;
}

/** A URL that an image or a player loads directly. */
export function createInlineLink(client: GatewayClient, { server_id, path }: FilePlace): InlineLink {
  const [href, setHref] = createSignal<string>();
  const [error, setError] = createSignal<unknown>();
  let is_over = false;
  onCleanup(() => {
    is_over = true;
  });

  async function renew(): Promise<void> {
    setError(undefined);
    try {
      const link = new URL(await fileLink(client, { server_id, path }));
      link.searchParams.set('inline', '1');
      if (!is_over) setHref(link.href);
    } catch (refusal) {
      if (!is_over) setError(refusal);
    }
  }
  void renew();
  return { href, error, fail: setError, renew };
}
