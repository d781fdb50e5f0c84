import type { Admission } from '#core/terminals/admission.ts';
import type { Begun, SessionNews } from '#core/terminals/live/participant.ts';
import type { GatewayFrame } from '../../contract/terminals/frames.ts';

/** The first frame to whoever sits down: `session` for the owner, `joined` for others. */
export function greeting({ session, role, mode, host_key }: Admission, begun: Begun): GatewayFrame {
  const { id: session_id, server } = session;
  if (role === 'guest') {
    const { username: owner } = session.owner;
    return { type: 'joined', session_id, server: server.name, owner, mode, ...begun.size };
  }
  return {
    type: 'session',
    session_id,
    offset: begun.offset,
    server: server.name,
    recording: session.is_recorded,
    resume_s: Math.round(session.resume_ms / 1000),
    ...(begun.screen_bytes === undefined ? {} : { gap: true, screen_bytes: begun.screen_bytes }),
    ...(host_key ? { host_key } : {}),
  };
}

export function newsFrame(news: SessionNews): GatewayFrame {
  switch (news.kind) {
    case 'size':
      return { type: 'size', ...news.size };
    case 'participants':
      return { type: 'participants', list: [...news.list] };
    case 'mode':
      return { type: 'mode', mode: news.mode };
    case 'recording':
      return { type: 'recording', active: news.active };
    case 'notice':
      return { type: 'notice', code: news.code, message: news.message };
  }
}
