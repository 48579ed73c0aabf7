/**
 * Types of routes that docs/reference/openapi.json does not have yet. Each goes as soon as the generated type is there.
 */

export interface Session {
  kind: 'session' | 'token';
  expires_at?: string | null;
  node: string;
  version: string;
}
