-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
CREATE TABLE `streaks` (
  `uuid` varchar(36) NOT NULL,
  `streak` int NOT NULL DEFAULT '1',
  `days` int NOT NULL DEFAULT '1',
  `last_day` date NOT NULL DEFAULT (curdate()),
  `services` text NOT NULL,
  PRIMARY KEY (`uuid`),
  CONSTRAINT `streaks_chk_1` CHECK (json_valid(`services`))
) ENGINE=InnoDB;
INSERT INTO `streaks` VALUES ('069a79f4-44e9-4726-a5be-fca90e38aaf5',21,7,'2026-11-21','{\"MCList.example\": 1795298400, \"Other\'s\": 1795302000}');
CREATE TABLE `votes` (
  `uuid` varchar(36) NOT NULL,
  `last_name` varchar(16) DEFAULT NULL,
  `votes` int NOT NULL DEFAULT '0',
  `last_vote` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`uuid`)
) ENGINE=InnoDB;
INSERT INTO `votes` VALUES ('069a79f4-44e9-4726-a5be-fca90e38aaf5','Notch',312,'2026-11-21 23:00:00'),('61699b2e-d327-4a01-9f1e-0ea8c3f06bc6',NULL,4,'2026-11-21 22:00:00');
