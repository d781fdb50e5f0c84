import { useQueryClient } from '@tanstack/solid-query';
import { createContext, onCleanup, useContext } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { useApp } from '../app-context.ts';
import { hasActive, openTransferDesk, type TransferDesk, type Transfers } from './desk.ts';

/** What goes on when the same user signs in again after the session expired; never longer than that. */
const DESKS = new WeakMap<GatewayClient, TransferDesk>();

/** The transfers of the user who is signed in: they stop with the workspace, and go on with the next one of that user. */
export function createTransfers(user_id: number): Transfers {
  const { client, session } = useApp();
  const queries = useQueryClient();
  const before = DESKS.get(client);
  if (before && before.user_id !== user_id) before.close();
  const desk = before?.user_id === user_id ? before : openTransferDesk({ client, queries, user_id });
  DESKS.set(client, desk);
  desk.goOn();
  guardLeaving(desk.transfers);
  onCleanup(() => {
    if (session.farewell() !== 'signed_out') return desk.suspend();
    desk.close();
    DESKS.delete(client);
  });
  return desk.transfers;
}

/** The browser asks before the page goes while something is on its way. */
function guardLeaving(transfers: Transfers): void {
  const onLeave = (event: BeforeUnloadEvent) => {
    if (hasActive(transfers)) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  onCleanup(() => window.removeEventListener('beforeunload', onLeave));
}

const Context = createContext<Transfers>();
export const TransfersProvider = Context.Provider;

export function useTransfers(): Transfers {
  const transfers = useContext(Context);
  if (!transfers) throw new Error('Outside the workspace');
  return transfers;
}
