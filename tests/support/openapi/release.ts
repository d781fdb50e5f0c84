// A step of a release: what docs/openapi.json promises is kept from now on.
import { writeFileSync } from 'node:fs';
import { DOCUMENT_FILE, RELEASED_FILE, readDocument, toReleased } from './released.ts';

writeFileSync(RELEASED_FILE, toReleased(readDocument(DOCUMENT_FILE)));
