CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT NOT NULL, source TEXT, tags TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, last_hit_at DATETIME, score INTEGER DEFAULT 0, session_id TEXT, narrative_id INTEGER, task_id INTEGER);
CREATE VIRTUAL TABLE memories_fts USING fts5(content, tags, source, content='memories', content_rowid='id');
INSERT INTO memories VALUES (1, 'The payment API signs with HMAC', 'conversation', 'payment,api', '2026-01-04 09:15:00', '2026-02-01 10:00:00', 9, 's1', NULL, NULL);
INSERT INTO memories VALUES (2, 'Staging is rebuilt on Mondays', 'agent', '', '2026-01-05 23:59:59', NULL, 0, 's1', 3, NULL);
INSERT INTO memories VALUES (3, 'Old office is on Mill Lane', 'extraction', 'office', '2024-06-01 00:00:00', NULL, -4, NULL, NULL, NULL);
INSERT INTO memories VALUES (4, '', 'agent', NULL, '2026-01-06 00:00:00', NULL, 0, NULL, NULL, NULL);
INSERT INTO memories VALUES (5, 'This week was about payments', 'narrative', 'week', NULL, NULL, 0, NULL, 3, NULL);
INSERT INTO memories VALUES (6, 'First line' || char(10) || '# second line', 'conversation', 'odd "tag", [[link]]', '2026-01-07T08:00:00Z', NULL, 3, 's2', NULL, NULL);
