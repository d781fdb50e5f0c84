import type { ParentProps } from 'solid-js';
import type { Feature } from '../workspace/features.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { alertAtEnd } from './alerts.ts';
import { createTransfers, TransfersProvider } from './transfers.ts';
import { TransferTray } from './tray/tray.tsx';

export const transfersFeature: Feature = { Provider: TransferProvider, Status: TransferTray };

function TransferProvider(props: ParentProps<{ user_id: number }>) {
  const transfers = createTransfers(props.user_id);
  alertAtEnd(useWorkspace(), transfers);
  return <TransfersProvider value={transfers}>{props.children}</TransfersProvider>;
}
