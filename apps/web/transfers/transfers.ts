import { useQueryClient } from '@tanstack/solid-query';
import { createContext, onCleanup, useContext } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { useApp } from '../app-context.ts';
import { askBeforeUnload } from '../lib/before-unload.ts';
import { hasActive, openTransferDesk, type TransferDesk, type Transfers } from './desk.ts';

/** Kept after a session expires, until the same user signs in again. */
const DESKS = new WeakMap<GatewayClient, TransferDesk>();

/** The signed-in user's transfers. They stop with the workspace and resume with that user's next one. */
export function createTransfers(user_id: number): Transfers {
  const { client, place, session } = useApp();
  const queries = useQueryClient();
  const before = DESKS.get(client);
  if (before && before.user_id !== user_id) before.close();
  const desk = before?.user_id === user_id ? before : openTransferDesk({ client, queries, user_id });
  DESKS.set(client, desk);
  desk.goOn();
  askBeforeUnload(place, () => hasActive(desk.transfers));
  onCleanup(() => {
    if (session.farewell() !== 'signed_out') return desk.suspend();
    desk.close();
    DESKS.delete(client);
  });
  return desk.transfers;
}

const Context = createContext<Transfers>();
export const TransfersProvider = Context.Provider;

export function useTransfers(): Transfers {
  const transfers = useContext(Context);
  if (!transfers) throw new Error('Outside the workspace');
  return transfers;
}
