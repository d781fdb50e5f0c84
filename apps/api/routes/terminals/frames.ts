import type { Admission } from '#core/terminals/admission.ts';
import type { OutputStart, SessionUpdate } from '#core/terminals/live/member-socket.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

/** The first frame: `session` for the owner, `joined` for guests. */
export function firstFrame({ session, role, mode, host_key }: Admission, start: OutputStart): GatewayFrame {
  const { id: session_id, server } = session;
  if (role === 'guest') {
    const { username: owner } = session.owner;
    return { type: 'joined', session_id, server: server.name, owner, mode, ...start.size };
  }
  return {
    type: 'session',
    session_id,
    offset: start.offset,
    server: server.name,
    recording: session.is_recorded,
    ...start.size,
    resume_s: Math.round(session.resume_ms / 1000),
    ...(start.input_bytes === undefined ? {} : { input_bytes: start.input_bytes }),
    ...(start.screen_bytes === undefined ? {} : { gap: true, screen_bytes: start.screen_bytes }),
    ...(host_key ? { host_key } : {}),
    connection: [...session.connection],
  };
}

export function updateFrame(update: SessionUpdate): GatewayFrame {
  switch (update.kind) {
    case 'size':
      return { type: 'size', ...update.size };
    case 'participants':
      return { type: 'participants', list: [...update.list] };
    case 'mode':
      return { type: 'mode', mode: update.mode };
    case 'recording':
      return { type: 'recording', active: update.active };
    case 'notice':
      return { type: 'notice', code: update.code, message: update.message };
  }
}
