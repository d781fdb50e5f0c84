import { useQueryClient } from '@tanstack/solid-query';
import { createContext, onCleanup, useContext } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { askBeforeUnload } from '../lib/before-unload.ts';
import { hasActive, openUserTransfers, type Transfers, type UserTransfers } from './user-transfers.ts';

/** Kept after a session expires, until the same user signs in again. */
const KEPT = new WeakMap<GatewayClient, UserTransfers>();

/** The signed-in user's transfers. They stop with the workspace and resume with that user's next one. */
export function createTransfers(user_id: number): Transfers {
  const { client, place, session } = useApp();
  const queries = useQueryClient();
  const before = KEPT.get(client);
  if (before && before.user_id !== user_id) before.close();
  const own = before?.user_id === user_id ? before : openUserTransfers({ client, queries, user_id });
  KEPT.set(client, own);
  own.goOn();
  askBeforeUnload(place, () => hasActive(own.transfers));
  onCleanup(() => {
    if (session.farewell() !== 'signed_out') return own.suspend();
    own.close();
    KEPT.delete(client);
  });
  return own.transfers;
}

const Context = createContext<Transfers>();
export const TransfersProvider = Context.Provider;

export function useTransfers(): Transfers {
  const transfers = useContext(Context);
  if (!transfers) throw new Error('Outside the workspace');
  return transfers;
}
