import type { SftpChannel } from '../protocol/channel.ts';
import type { Lease } from './pool.ts';
import type { TransferChannel } from './transfer-channels.ts';

/** For callers whom no rule confines: their channels skip the checks against swapped paths. */
export function unconfined(lease: Lease): Lease {
  const { connection } = lease;
  return {
    ...lease,
    share: () => unconfined(lease.share()),
    connection: {
      ...connection,
      metadata: async () => freed(await connection.metadata()),
      async transfer() {
        const transfer = await connection.transfer();
        const more = async () => {
          const another = await transfer.more();
          return another && freedTransfer(another);
        };
        return { ...transfer, ...freedTransfer(transfer), more };
      },
    },
  };
}

function freed(channel: SftpChannel): SftpChannel {
  return { ...channel, is_confined: false };
}

function freedTransfer(transfer: TransferChannel): TransferChannel {
  return { ...transfer, channel: freed(transfer.channel) };
}
