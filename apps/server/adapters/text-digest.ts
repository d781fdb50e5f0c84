import { createHash } from 'node:crypto';
import type { TextDigest } from '#core/crypto/audit-seal.ts';

export const textDigest: TextDigest = (text) => createHash('sha256').update(text).digest('base64url');
