/** The schema of flow files. */
import document from '../../../../docs/reference/flow.schema.json';
import { schemaOf } from '../editor/schema';

export const flowSchema = schemaOf(document);
