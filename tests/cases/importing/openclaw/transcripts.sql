CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL, agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
INSERT INTO schema_meta VALUES ('primary', 'agent', 20, 'main', '2026.8.1', 1772787600000, 1772787600000);
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq));
INSERT INTO transcript_events VALUES ('5e55a000-0000-4000-8000-000000000003', 0, '{"type":"session","version":3,"id":"5e55a000-0000-4000-8000-000000000003","timestamp":"2026-03-07T10:00:00.000Z","cwd":"/tmp"}', 1772877600000);
INSERT INTO transcript_events VALUES ('5e55a000-0000-4000-8000-000000000003', 2, '{"type":"message","id":"f2","parentId":"f1","timestamp":"2026-03-07T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"At four."}]}}', 1772877602000);
INSERT INTO transcript_events VALUES ('5e55a000-0000-4000-8000-000000000003', 1, '{"type":"message","id":"f1","parentId":null,"timestamp":"2026-03-07T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"When is low tide?"}]}}', 1772877601000);
INSERT INTO transcript_events VALUES ('5e55a000-0000-4000-8000-000000000003', 3, 'not json', 1772877603000);
