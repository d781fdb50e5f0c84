// Schemas made before this is loaded cannot be in the API document, and test files share modules in any order.
import '@hono/zod-openapi';
