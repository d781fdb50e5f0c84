import { TicketPayload } from '#core/model/accounts/ticket.ts';

/** The columns of versions up to 0.7, which have no payload. */
interface Packed {
  readonly server_id: number | null;
  readonly path: string | null;
}

const NOTHING: Packed = { server_id: null, path: null };

/** Written beside the payload, because an instance of such a version may redeem the ticket during an upgrade. */
export function toPacked(payload: TicketPayload): Packed {
  switch (payload.purpose) {
    case 'socket':
    case 'embedded_socket':
      return NOTHING;
    case 'file':
      return { server_id: payload.server_id, path: payload.path };
    case 'archive': {
      const { purpose: _, server_id, ...input } = payload;
      return { server_id, path: JSON.stringify(input) };
    }
    case 'recording':
      return { server_id: null, path: String(payload.recording_id) };
    case 'embed': {
      const { purpose: _, server_id, ...way } = payload;
      return { server_id, path: JSON.stringify(way) };
    }
  }
}

interface StoredPayload extends Packed {
  readonly purpose: TicketPayload['purpose'];
  /** Null in tickets of versions up to 0.7. */
  readonly payload: unknown;
}

/** Undefined for what this version cannot read, such as a purpose that only a newer one knows. */
export function readPayload({ payload, ...packed }: StoredPayload): TicketPayload | undefined {
  const fields = payload ?? unpacked(packed);
  return TicketPayload.safeParse({ ...asObject(fields), purpose: packed.purpose }).data;
}

function unpacked({ purpose, server_id, path }: Omit<StoredPayload, 'payload'>): unknown {
  switch (purpose) {
    case 'socket':
    case 'embedded_socket':
      return {};
    case 'file':
      return { server_id, path };
    case 'archive':
    case 'embed':
      return { ...asObject(parsed(path)), server_id };
    case 'recording':
      return { recording_id: Number(path) };
  }
}

function parsed(json: string | null): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
