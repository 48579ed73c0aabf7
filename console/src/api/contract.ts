/**
 * Types of routes, by the names that pages use for them. What docs/reference/openapi.json does not have yet is written here by hand, and goes
 * as soon as the generated type is there.
 */
import type { components } from './schema';

export type Dashboard = components['schemas']['Dashboard'];
export type Facets = components['schemas']['Facets'];
