-- MariaDB dump 10.19  Distrib 10.11.8-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: minecraft
-- ------------------------------------------------------
/*!40103 SET TIME_ZONE='+00:00' */;

--
-- Table structure for table `VotingPlugin_ServerData`
--

CREATE TABLE `VotingPlugin_ServerData` (
  `server` varchar(50) NOT NULL,
  `FinishedProcessing` text DEFAULT NULL,
  PRIMARY KEY (`server`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `VotingPlugin_ServerData` VALUES
('lobby','true');

DROP TABLE IF EXISTS `VotingPlugin_Users`;
CREATE TABLE `VotingPlugin_Users` (
  `uuid` varchar(37) NOT NULL,
  `PlayerName` varchar(30) DEFAULT NULL,
  `OfflineRewards` mediumtext DEFAULT NULL,
  `LastVotes` text DEFAULT NULL,
  `OfflineVotes` mediumtext DEFAULT NULL,
  `MonthTotal` int(11) DEFAULT 0,
  `AllTimeTotal` int(11) DEFAULT 0,
  `DailyTotal` int(11) DEFAULT 0,
  `WeeklyTotal` int(11) DEFAULT 0,
  `DayVoteStreak` int(11) DEFAULT 0,
  `BestDayVoteStreak` int(11) DEFAULT 0,
  `DayVoteStreakLastUpdate` mediumtext DEFAULT NULL,
  PRIMARY KEY (`uuid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES `VotingPlugin_Users` WRITE;
INSERT INTO `VotingPlugin_Users` VALUES
('069a79f4-44e9-4726-a5be-fca90e38aaf5','Notch',NULL,'PlanetMinecraft//1795302000000','',38,412,2,9,12,40,'1795302000000'),
('853c80ef-3c37-49fd-aa49-938b674adae6','',NULL,NULL,NULL,0,0,0,0,0,0,NULL),
('00000000-0000-0000-0009-01f2a3b4c5d6','.Bedrock Fan','null','null','null',1,1,1,1,1,1,'0'),
('not-a-uuid','Alex','','','MCList',4,5,0,1,0,3,'');
UNLOCK TABLES;
-- Dump completed on 2026-11-22 10:00:00
