// The one entry of the published package. The page imports the modules themselves.
export { type AgentEvent, askAgent, followTurn } from '../agent.ts';
export {
  type AuditVerificationEvent,
  type VerificationStart,
  watchVerification,
} from '../audit-verification.ts';
export { type ClientOptions, createClient, type GatewayClient, type Schemas, take } from '../client.ts';
export {
  type ServerStatuses,
  type TestEvent,
  type Watching,
  watchStatuses,
  watchTest,
} from '../event-stream.ts';
export { castLink, type RecordingFile, recordingLink } from '../recording-links.ts';
export { type RecordingSearch, type RecordingSearchEvent, searchRecordings } from '../recording-search.ts';
export type { components, operations, paths } from '../schema.gen.ts';
export type {
  Ending,
  ErrorFrame,
  ExitFrame,
  GatewayFrame,
  LinkError,
  PromptFrame,
} from '../terminal/ending.ts';
export type { LinkEvents, LinkOptions, LinkState, NewsFrame } from '../terminal/events.ts';
export { TerminalLink } from '../terminal/link.ts';
export type {
  ClientFrame,
  QuickOpenFrame,
  QuickSecrets,
  TerminalSize,
  TerminalTarget,
} from '../terminal/target.ts';
export {
  type ArchiveEntry,
  type ExtractEvent,
  type ExtractPlan,
  type MemberPlace,
  memberLink,
  watchExtract,
} from '../transfers/archive.ts';
export { type CopyEvent, type CopyPlan, watchCopy } from '../transfers/copy.ts';
export { type Download, downloadArchive, downloadFile, type WantedFile } from '../transfers/download.ts';
export { archiveLink, fileLink, type LinkedArchive, type LinkedFile } from '../transfers/links.ts';
export type { UploadPlan, UploadWatch } from '../transfers/tus-upload.ts';
export { uploadFile } from '../transfers/upload.ts';
export { ClientError, type FieldError, type Refusal } from '../transport/client-error.ts';
export type { Credentials } from '../transport/credentials.ts';
export type { PlainSocket, SocketConstructor } from '../transport/plain-socket.ts';
